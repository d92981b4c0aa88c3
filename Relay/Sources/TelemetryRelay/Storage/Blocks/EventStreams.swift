import Foundation

/// Looks up or creates the numbers of clients and their sessions, and caches them. The cache is used only on the writing connection.
struct EventStreams {
    struct Stream: Sendable, Equatable {
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
    private var epoch = 0

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

    /// Empties the cache if the database may have lost commits.
    mutating func validate(epoch: Int) {
        if epoch != self.epoch { removeAll() }
        self.epoch = epoch
    }

    /// - Parameter streams: the rows of clients, and sessions.
    mutating func streams(_ streams: [(client: Int64, session: Data)], _ db: any StorageConnection) throws -> [Stream] {
        let names = streams.map { Name(client: $0.client, session: $0.session) }
        try Self.add(
            names, to: &self.streams, db, select: "SELECT id FROM event_stream WHERE client = $1 AND session_key = $2",
            insert: "INSERT INTO event_stream (client, session_key) VALUES ($1, $2) RETURNING id"
        ) { [.int($0.client), .bytes($0.session)] }
        return try names.map { name in
            guard let number = self.streams[name] else { throw RelayStorageError.corrupt("a stream has no row") }
            return Stream(number: number, client: name.client)
        }
    }

    /// - Returns: the rows of clients.
    mutating func clients(_ keys: [[Data]], _ db: any StorageConnection) throws -> [[Int64]] {
        try Self.add(
            keys.flatMap(\.self), to: &clients, db, select: "SELECT id FROM event_client WHERE client_key = $1",
            insert: "INSERT INTO event_client (client_key) VALUES ($1) RETURNING id"
        ) { [.bytes($0)] }
        return try keys.map { keys in
            try keys.map { key in
                guard let number = clients[key] else { throw RelayStorageError.corrupt("a client has no row") }
                return number
            }
        }
    }

    /// Adds rows to a cache, after looking them up or creating them together.
    private static func add<Key: Hashable>(
        _ keys: [Key], to cache: inout [Key: Int64], _ db: any StorageConnection, select: String, insert: String,
        _ values: (Key) -> [StorageValue]
    ) throws {
        if cache.count >= capacity { cache = [:] }
        var missing = Set(keys).filter { cache[$0] == nil }
        for sql in [select, insert] {
            let keys = Array(missing)
            for (key, rows) in zip(keys, try db.rows(keys.map { Statement(sql, values($0)) })) {
                guard let number = try rows.first?.int(0) else { continue }
                cache[key] = number
                missing.remove(key)
            }
        }
    }
}

extension EventStreams {
    private static let step = 500
    private static let isUnusedStream = "NOT EXISTS (SELECT 1 FROM event_block WHERE stream = event_stream.id)"
    private static let isUnusedClient = """
        NOT EXISTS (SELECT 1 FROM event_stream WHERE client = event_client.id)
        AND NOT EXISTS (SELECT 1 FROM event_identity WHERE client = event_client.id)
        AND NOT EXISTS (SELECT 1 FROM event_expired WHERE client = event_client.id)
        """

    /// Unused sessions and unused clients, up to 500 of each.
    struct Unused: Sendable {
        fileprivate let streams: [Int64]
        fileprivate let clients: [Int64]

        var isEmpty: Bool { streams.isEmpty && clients.isEmpty }

        init(_ db: any StorageConnection) throws {
            func ids(_ table: String, _ condition: String) throws -> [Int64] {
                try db.rows("SELECT id FROM \(table) WHERE \(condition) LIMIT \(step)").map { try $0.int(0) }
            }
            streams = try ids("event_stream", isUnusedStream)
            clients = try ids("event_client", isUnusedClient)
        }
    }

    /// Deletes sessions and clients that are still unused.
    static func delete(_ unused: Unused, _ db: any StorageConnection) throws {
        for (table, ids, condition) in [
            ("event_stream", unused.streams, isUnusedStream), ("event_client", unused.clients, isUnusedClient),
        ] {
            for id in ids { try db.enqueue("DELETE FROM \(table) WHERE id = $1 AND \(condition)", [.int(id)]) }
        }
        try db.enqueue("UPDATE event_state SET stream_generation = stream_generation + 1 WHERE id = 1", [])
    }
}
