import Foundation
import GRDB

/// Deletes events within a transaction, and keeps the identifiers of recent ones, so that these events are not stored again.
struct EventDeletion {
    /// The events to delete.
    enum Selection {
        case upTo(Int64)
        case numbers([Int64])
    }

    let selection: Selection
    /// The earliest arrival whose identifier is kept, in milliseconds of the arrival clock.
    let rememberedFrom: Int64

    /// The SQL does not contain the numbers, so that each statement is prepared once.
    private var condition: String {
        switch selection {
        case .upTo: "e.number <= ?"
        case .numbers: "e.number IN (SELECT value FROM json_each(?))"
        }
    }

    private var arguments: StatementArguments {
        switch selection {
        case .upTo(let last): [last]
        case .numbers(let numbers): ["[\(numbers.map(String.init).joined(separator: ","))]"]
        }
    }

    private var source: String { "FROM event e JOIN event_stream s ON s.id = e.stream WHERE \(condition)" }

    /// Records for each client the number of events that retention is about to delete. Call before ``run(_:_:)``.
    func recordAsExpired(_ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO event_expired (client, first, last, count)
                SELECT s.client, MIN(e.number), MAX(e.number), COUNT(*) \(source) GROUP BY s.client
                """
        ).execute(arguments: arguments)
    }

    /// - Returns: the number of deleted events.
    @discardableResult
    func run(_ db: Database, _ state: inout RelayState) throws -> Int {
        let sizes = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT COUNT(*), TOTAL(LENGTH(e.body)) FROM event e WHERE \(condition)"),
            arguments: arguments)
        let count = try sizes?.decode(Int.self, atIndex: 0) ?? 0
        let bytes = Int64(exactly: try sizes?.decode(Double.self, atIndex: 1) ?? 0) ?? 0
        try db.cachedStatement(
            sql: """
                INSERT INTO event_deleted (number, client, event_key, received)
                SELECT e.number, s.client, e.event_key, e.received \(source) AND e.received >= ?
                """
        ).execute(arguments: arguments + [rememberedFrom])
        let remembered = db.changesCount
        if remembered < count {
            try Self.removeIdentities(
                db, "SELECT s.client, e.event_key \(source) AND e.received < ?", arguments + [rememberedFrom])
        }
        try db.cachedStatement(sql: "DELETE FROM event AS e WHERE \(condition)").execute(arguments: arguments)
        state.events -= Int64(count)
        state.eventBytes -= bytes + Int64(count) * EventTrimmer.size(ofBody: 0)
        state.remembered += Int64(remembered)
        return count
    }

    /// Removes the identities that a query returns, so that these events can be stored again. Deletes one at a time: a single
    /// statement would scan all identities of a client.
    static func removeIdentities(_ db: Database, _ query: String, _ arguments: StatementArguments) throws {
        let identities = try Row.fetchAll(db.cachedStatement(sql: query), arguments: arguments)
        let delete = try db.cachedStatement(sql: "DELETE FROM event_seen WHERE client = ? AND event_key = ?")
        for identity in identities {
            try delete.execute(arguments: [
                try identity.decode(Int64.self, atIndex: 0), try identity.decode(Data.self, atIndex: 1),
            ])
        }
    }
}
