import Foundation
import GRDB

/// Looks up or creates the numbers of clients and their sessions, and caches them. Used only on the writing connection.
struct EventStreams {
    struct Stream {
        let number: Int64
        let client: Int64
    }

    private struct Name: Hashable {
        let client: Data
        let session: Data
    }

    /// The maximum number of cached streams. When it is reached, the cache is emptied.
    private static let capacity = 20_000
    private var known: [Name: Stream] = [:]
    private var generation: Int64?
    private var last: (name: Name, stream: Stream)?

    /// Empties the cache, which may contain rows that a rolled-back transaction created.
    mutating func removeAll() {
        known = [:]
        last = nil
    }

    /// Empties the cache if streams were deleted, possibly by another relay.
    mutating func validate(generation: Int64) {
        if generation != self.generation { removeAll() }
        self.generation = generation
    }

    mutating func stream(client: Data, session: Data, _ db: Database) throws -> Stream {
        let name = Name(client: client, session: session)
        if let last, last.name == name { return last.stream }
        let stream = try known[name] ?? Self.lookUp(name, db)
        if known.count >= Self.capacity { known = [:] }
        known[name] = stream
        last = (name, stream)
        return stream
    }

    private static func lookUp(_ name: Name, _ db: Database) throws -> Stream {
        let client = try number(
            db, select: "SELECT id FROM event_client WHERE client_key = ?",
            insert: "INSERT INTO event_client (client_key) VALUES (?)", [name.client])
        let stream = try number(
            db, select: "SELECT id FROM event_stream WHERE client = ? AND session_key = ?",
            insert: "INSERT INTO event_stream (client, session_key) VALUES (?, ?)", [client, name.session])
        return Stream(number: stream, client: client)
    }

    private static func number(
        _ db: Database, select: String, insert: String, _ arguments: StatementArguments
    ) throws -> Int64 {
        if let number = try Int64.fetchOne(db.cachedStatement(sql: select), arguments: arguments) { return number }
        try db.cachedStatement(sql: insert).execute(arguments: arguments)
        return db.lastInsertedRowID
    }
}

extension EventStreams {
    /// Deletes up to 500 unused sessions and 500 unused clients.
    /// - Returns: whether there may be more.
    static func deleteUnused(_ db: Database) throws -> Bool {
        let step = 500
        try db.execute(
            sql: """
                DELETE FROM event_stream WHERE id IN (
                    SELECT id FROM event_stream AS s WHERE NOT EXISTS (SELECT 1 FROM event WHERE stream = s.id) LIMIT ?)
                """, arguments: [step])
        let streams = db.changesCount
        try db.execute(
            sql: """
                DELETE FROM event_client WHERE id IN (
                    SELECT id FROM event_client AS c
                    WHERE NOT EXISTS (SELECT 1 FROM event_stream WHERE client = c.id)
                    AND NOT EXISTS (SELECT 1 FROM event_seen WHERE client = c.id)
                    AND id NOT IN (SELECT client FROM event_expired) LIMIT ?)
                """, arguments: [step])
        let clients = db.changesCount
        guard streams + clients > 0 else { return false }
        var state = try RelayState.fetch(db)
        state.streamGeneration += 1
        try db.execute(sql: "UPDATE relay_state SET stream_generation = ?", arguments: [state.streamGeneration])
        return streams == step || clients == step
    }
}
