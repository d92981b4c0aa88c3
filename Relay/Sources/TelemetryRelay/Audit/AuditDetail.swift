import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// The detail of an entry, built step by step: a name, and pairs such as `scenario=Checkout`.
struct AuditDetail {
    private var all: String

    /// The detail, cut after a character if it is too long.
    var text: String {
        guard all.utf8.count > RelayAuditEntry.maximumDetail else { return all }
        let mark = "…"
        var cut = ""
        for scalar in all.unicodeScalars {
            guard cut.utf8.count + UTF8.width(scalar) + mark.utf8.count <= RelayAuditEntry.maximumDetail else { break }
            cut.unicodeScalars.append(scalar)
        }
        return cut + mark
    }

    init(_ name: String? = nil) { all = name.map(Self.quoted) ?? "" }

    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        all += "\(all.isEmpty ? "" : " ")\(Self.quoted(name))=\(Self.quoted(value))"
    }

    /// A text that could be taken for more than one word is a string of JSON.
    private static func quoted(_ text: String) -> String {
        let isWord = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
        if isWord, !text.isEmpty { return text }
        var writer = JSONWriter(capacity: text.utf8.count + 2)
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension RelayEventFilter {
    /// What the filter says, without the client.
    /// - Parameter query: the query's text.
    func auditDetail(query: String?) -> String {
        var detail = AuditDetail()
        detail.add("session", sessionId)
        for scenario in scenarios?.sorted() ?? [] { detail.add("scenario", scenario) }
        for level in levels?.map(\.rawValue).sorted() ?? [] { detail.add("level", level) }
        for name in names?.sorted() ?? [] { detail.add("name", name) }
        detail.add("since", since?.text)
        detail.add("until", until?.text)
        detail.add("query", query)
        return detail.text
    }

    /// The only client that the filter matches; nil if it may match several.
    var auditClient: String? { clients.flatMap { $0.count == 1 ? $0.first : nil } }
}
