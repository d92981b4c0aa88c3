public import Foundation
@_spi(Tooling) import TelemetryHTTP
@_spi(Tooling) import TelemetryModels

/// Reads a relay's audit. An auditor's token permits nothing else, so the relay's description is not requested.
public struct AuditReader: Sendable {
    /// Selects entries.
    public struct Filter: Sendable {
        public var since: Date?
        public var until: Date?
        /// The token's name.
        public var token: String?
        /// The actions; empty for all.
        public var actions: [String] = []
        /// The client's identifier. Reads and deletions of events that were not limited to one client are included.
        public var client: String?

        public init() {}

        fileprivate var query: [(name: String, value: String)] {
            let values = [
                ("since", since.map(TimestampText.string(nearest:))), ("until", until.map(TimestampText.string(nearest:))),
                ("token", token), ("client", client), ("everyone", client == nil ? nil : "true"),
            ]
            return values.compactMap { name, value in value.map { (name, $0) } } + actions.map { ("action", $0) }
        }
    }

    private struct Page {
        let entries: [AuditEntry]
        let cursor: String
        let hasMore: Bool

        init?(_ body: Data) {
            guard let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any],
                let objects = object["entries"] as? [[String: Any]], let hasMore = object["hasMore"] as? Bool
            else { return nil }
            entries = objects.compactMap(AuditEntry.init)
            guard entries.count == objects.count else { return nil }
            cursor = object["cursor"] as? String ?? ""
            self.hasMore = hasMore
        }
    }

    private static let pageSize = 1_000
    private static let timeout = Duration.seconds(30)
    private static let maximumResponseBytes = 64 << 20

    private let location: RelayLocation

    public init(_ location: RelayLocation) { self.location = location }

    /// The newest entries that match, the oldest of them first; and whether earlier ones match.
    /// - Throws: ``ToolFailure``
    public func newest(_ count: Int, matching filter: Filter) async throws -> (entries: [AuditEntry], hasEarlier: Bool) {
        var entries: [AuditEntry] = []
        var hasEarlier = false
        try await read(filter, order: "desc", limit: { min(Self.pageSize, count - entries.count) }) { page in
            entries += page.entries
            hasEarlier = page.hasMore || entries.count > count
            return entries.count < count
        }
        return (entries.prefix(count).reversed(), hasEarlier)
    }

    /// Reads all entries that match, the oldest first, page by page.
    /// - Throws: ``ToolFailure``
    public func readAll(matching filter: Filter, _ body: ([AuditEntry]) -> Void) async throws {
        try await read(filter, order: "asc", limit: { Self.pageSize }) { page in
            body(page.entries)
            return true
        }
    }

    /// - Parameter body: Receives each page, and returns whether the next one is needed.
    private func read(
        _ filter: Filter, order: String, limit: () -> Int, _ body: (Page) -> Bool
    ) async throws {
        var cursor: String?
        while true {
            var query = filter.query + [("order", order), ("limit", String(limit()))]
            if let cursor { query.append(("after", cursor)) }
            let page = try await page(query)
            guard body(page), page.hasMore else { return }
            guard page.cursor != cursor, !page.cursor.isEmpty else {
                throw ToolFailure(.unavailable, "The relay sent a page of the audit again.")
            }
            cursor = page.cursor
        }
    }

    private func page(_ query: [(name: String, value: String)]) async throws -> Page {
        let response: HTTPMessages.Response
        do {
            response = try await location.get(
                "v1/audit", query, token: location.token, timeout: Self.timeout, limit: Self.maximumResponseBytes)
        } catch {
            try Task.checkCancellation()
            throw location.unreachable(error.localizedDescription)
        }
        guard response.status == 200 else { throw failure(response) }
        guard let page = Page(response.body) else { throw location.foreign(response.status) }
        return page
    }

    private func failure(_ response: HTTPMessages.Response) -> ToolFailure {
        let detail = RelayProbe.detail(response.body)
        let reason = detail.map { " The relay's message: \($0.visible)" } ?? ""
        switch response.status {
        case 400: return ToolFailure(.data, "The relay rejected the request.\(reason)")
        case 401: return location.refused(detail)
        case 403:
            return ToolFailure(
                .noPermission,
                "The \(location.tokenName) cannot read the audit: this requires a token with the role viewer or "
                    + "auditor.\(reason)")
        case 404 where detail != nil:
            return ToolFailure(
                .unavailable, "The relay at \(location.url.absoluteString.visible) has no audit: update the relay.")
        case 429, 500...:
            return ToolFailure(.unavailable, "The relay responded with status \(response.status).\(reason)")
        default: return location.foreign(response.status)
        }
    }
}
