import Foundation
import Hummingbird
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// `GET /v1/audit`.
struct AuditRoute: Sendable {
    static let parameters: Set = ["since", "until", "token", "action", "client", "everyone", "after", "limit", "order"]

    let storage: any RelayAuditStorage

    func answer(_ asked: RelayRoutes.Asked) async throws -> Response {
        let query = try AuditQuery(asked.query)
        let page = try await storage.page(matching: query.filter, after: query.after, limit: query.limit, order: query.order)
        return .object { writer in
            writer.key("entries")
            writer.array(page.entries) { entry, writer in entry.write(to: &writer) }
            writer.member("cursor", page.cursor)
            writer.member("hasMore", page.hasMore)
        }
    }
}

/// The parsed query of `GET /v1/audit`.
private struct AuditQuery {
    private static let limits = 1...1_000
    private static let defaultLimit = 100

    var filter = RelayAuditFilter()
    let after: String?
    let limit: Int
    let order: RelayEventOrder

    init(_ query: QueryParameters) throws(Problem) {
        filter.since = try EventQuery.time(query, "since")?.date
        filter.until = try EventQuery.time(query, "until")?.date
        filter.token = try query.single("token")
        filter.client = try query.single("client")
        filter.includesEveryone = try query.flag("everyone")
        filter.actions = try query.all("action").map { texts throws(Problem) in try Self.actions(texts) }
        after = try query.single("after")
        limit = try query.number("limit", Self.limits) ?? Self.defaultLimit
        order = try query.order() ?? .ascending
    }

    private static func actions(_ texts: [String]) throws(Problem) -> Set<RelayAuditEntry.Action> {
        var actions: Set<RelayAuditEntry.Action> = []
        for text in texts {
            guard let action = RelayAuditEntry.Action(rawValue: text) else {
                let all = RelayAuditEntry.Action.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalidArgument("action must be one of \(all).")
            }
            actions.insert(action)
        }
        return actions
    }
}

extension RelayStoredAuditEntry {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("number", number)
            writer.member("time", TimestampText.string(from: time) ?? "")
            writer.text("token", entry.actor.token)
            writer.text("role", entry.actor.role?.rawValue)
            writer.text("address", entry.actor.address)
            writer.member("action", entry.action.rawValue)
            writer.text("client", entry.client)
            writer.member("detail", entry.detail)
            writer.member("status", entry.status)
        }
    }
}

extension JSONWriter {
    /// A member that is null if there is no text.
    fileprivate mutating func text(_ name: String, _ text: String?) {
        guard let text else {
            key(name)
            return raw("null".utf8)
        }
        member(name, text)
    }
}
