import Foundation

/// Looks up or creates the numbers of clients and their sessions, and caches them. The cache is used only on the writing connection.
struct EventStreams {
    struct Stream: Sendable {
        let number: Int64
        let client: Int64
    }

    private struct Name: Hashable {
        let client: Int64
        let session: Data
    }

    /// The maximum number of cached clients, and of cached streams. When it is reached, that cache is emptied.
    private static let capacity = 20_000
    private var clients: [Data: Int64] = [:]
    private var streams: [Name: Int64] = [:]
    private var generation: Int64?

    /// Empties the cache, which may contain rows that a rolled-back transaction created.
    mutating func removeAll() {
        clients = [:]
        streams = [:]
    }

    /// Empties the cache if streams were deleted, possibly by another relay.
    mutating func validate(generation: Int64) {
        if generation != self.generation { removeAll() }
        self.generation = generation
    }

    /// - Parameter client: the row of the client.
    mutating func stream(of client: Int64, session: Data, _ db: StorageConnection) throws -> Stream {
        let name = Name(client: client, session: session)
        let number =
            try streams[name]
            ?? Self.number(
                db, select: "SELECT id FROM event_stream WHERE client = $1 AND session_key = $2",
                insert: "INSERT INTO event_stream (client, session_key) VALUES ($1, $2) RETURNING id",
                [.int(client), .bytes(session)])
        if streams.count >= Self.capacity { streams = [:] }
        streams[name] = number
        return Stream(number: number, client: client)
    }

    /// - Returns: the row of a client.
    mutating func client(_ key: Data, _ db: StorageConnection) throws -> Int64 {
        let number =
            try clients[key]
            ?? Self.number(
                db, select: "SELECT id FROM event_client WHERE client_key = $1",
                insert: "INSERT INTO event_client (client_key) VALUES ($1) RETURNING id", [.bytes(key)])
        if clients.count >= Self.capacity { clients = [:] }
        clients[key] = number
        return number
    }

    private static func number(
        _ db: StorageConnection, select: String, insert: String, _ values: [StorageValue]
    ) throws -> Int64 {
        guard let number = try db.int(select, values) ?? db.int(insert, values) else {
            throw RelayStorageError.corrupt("a stream has no row")
        }
        return number
    }
}

extension EventStreams {
    /// A query for the clients with these keys, with parameters of a statement.
    static func clients(_ keys: [Data], _ statement: inout Statement) -> String {
        "SELECT id FROM event_client WHERE client_key IN (\(statement.parameters(keys.map(StorageValue.bytes))))"
    }

    /// Deletes up to 500 unused sessions and 500 unused clients.
    /// - Returns: whether there may be more.
    static func deleteUnused(_ db: StorageConnection) throws -> Bool {
        let step = 500
        let streams = try db.execute(
            """
            DELETE FROM event_stream WHERE id IN (
                SELECT id FROM event_stream AS s WHERE NOT EXISTS (SELECT 1 FROM event_block WHERE stream = s.id) LIMIT \(step))
            """)
        let clients = try db.execute(
            """
            DELETE FROM event_client WHERE id IN (
                SELECT id FROM event_client AS c
                WHERE NOT EXISTS (SELECT 1 FROM event_stream WHERE client = c.id)
                AND NOT EXISTS (SELECT 1 FROM event_identity WHERE client = c.id)
                AND id NOT IN (SELECT client FROM event_expired) LIMIT \(step))
            """)
        guard streams + clients > 0 else { return false }
        try db.execute("UPDATE relay_state SET stream_generation = stream_generation + 1")
        return streams == step || clients == step
    }
}
