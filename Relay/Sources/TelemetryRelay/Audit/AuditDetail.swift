import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// The detail of an entry, built step by step: a name, and pairs such as `scenario=Checkout`.
struct AuditDetail {
    /// The maximum length of a name or a value, in bytes, so that none hides those after it.
    private static let maximumValue = 200

    private(set) var text: String

    init(_ name: String? = nil) { text = name.map { Self.quoted($0, maximumValue: Self.maximumValue) } ?? "" }

    mutating func add(_ name: String, _ value: String?, maximumValue: Int = Self.maximumValue) {
        guard let value else { return }
        let name = Self.quoted(name, maximumValue: Self.maximumValue)
        text += "\(text.isEmpty ? "" : " ")\(name)=\(Self.quoted(value, maximumValue: maximumValue))"
    }

    /// Quotes a string as in JSON if it is not a single word.
    private static func quoted(_ text: String, maximumValue: Int) -> String {
        let text = RelayAuditEntry.cut(text, to: maximumValue)
        let isWord = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
        if isWord, !text.isEmpty { return text }
        var writer = JSONWriter(capacity: text.utf8.count + 2)
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension RelayCaller {
    /// What a filter says, and to what the caller is limited.
    /// - Parameter query: the text of another query that selects among the events.
    func auditDetail(of filter: RelayEventFilter, query: String? = nil) -> String {
        var limits = AuditDetail()
        limits.add("within", scope?.text)
        return [filter.auditDetail(query: query), limits.text].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension RelayEventFilter {
    /// What the filter says, without the client if it is the only one.
    /// - Parameter query: the text of another query that selects among the events.
    func auditDetail(query other: String? = nil) -> String {
        var detail = AuditDetail()
        detail.add("query", other ?? query?.description, maximumValue: 1_000)
        detail.add("session", sessionId)
        detail.add("since", since?.text)
        detail.add("until", until?.text)
        for level in levels?.map(\.rawValue).sorted() ?? [] { detail.add("level", level) }
        if let clients, clients.count > 1 {
            for client in clients.sorted() { detail.add("client", client) }
        }
        for scenario in scenarios?.sorted() ?? [] { detail.add("scenario", scenario) }
        for name in names?.sorted() ?? [] { detail.add("name", name) }
        return detail.text
    }

    /// The only client that the filter matches; nil if it may match several.
    var auditClient: String? { clients.flatMap { $0.count == 1 ? $0.first : nil } }
}
