#if PostgreSQL
import Foundation
import PostgreSQLClient

/// The only access to a PostgreSQL server. After a lost connection, reads once more over another one.
struct PostgreSQLDatabase: StorageDatabase {
    /// How long closing waits for the server.
    private static let closingTime: Duration = .seconds(2)

    /// For short reads, and statements that assign no numbers.
    let pool: PostgreSQLPool
    /// For reads that may take long, so that they do not delay writes and the check of tokens.
    private let queries: PostgreSQLPool
    /// One connection for each part that is written to. While another relay has the lock on a part, the others are free.
    private let writers: [StoragePart: PostgreSQLPool]
    /// Identifies this relay among those of the store.
    let relay = String(UInt64.random(in: .min ... .max), radix: 36)
    private let turns: Turns
    private let queryTime: Duration
    private let session: PostgreSQLSession

    /// Opens the database and creates its tables, unless they exist. Several relays may do so at once.
    /// - Parameters:
    ///   - parts: what is written to.
    ///   - connections: the maximum number of connections for short reads. With all others and the one that listens, nine relays have
    ///     fewer than the hundred that a server allows by default.
    ///   - queries: the maximum number of connections for queries.
    static func open(
        _ url: String, _ configuration: RelayStorageConfiguration, parts: [StoragePart], connections: Int, queries: Int
    ) async throws -> PostgreSQLDatabase {
        try await translating {
            let address = try PostgreSQLAddress(url)
            var session = PostgreSQLSession()
            session.waitsForDisk = configuration.survivesPowerCuts
            session.connectTimeout = address.connectTimeout ?? session.connectTimeout
            let pool = PostgreSQLPool(address, session, maximum: connections)
            try await PostgreSQLSchema.migrate(pool)
            return PostgreSQLDatabase(
                pool: pool, queries: PostgreSQLPool(address, session, maximum: queries),
                writers: Dictionary(
                    uniqueKeysWithValues: parts.map {
                        ($0, PostgreSQLPool(address, session, maximum: 1, patience: session.lockTimeout * 2))
                    }),
                turns: Turns(maximum: queries, clock: configuration.clock), queryTime: configuration.queryTime, session: session)
        }
    }

    /// Verifies the tables in one snapshot. A statement has no time limit.
    static func check(_ url: String) async throws -> RelayCheckReport {
        try await translating {
            let address = try PostgreSQLAddress(url)
            var session = PostgreSQLSession()
            session.connectTimeout = address.connectTimeout ?? session.connectTimeout
            (session.statementTimeout, session.idleTransactionTimeout) = (.zero, .zero)
            let pool = PostgreSQLPool(address, session, maximum: 1)
            defer { pool.close() }
            return try await read(pool) { db in
                var report = RelayCheckReport()
                DatabaseCheck.run(db, version: try PostgreSQLSchema.version(db), of: PostgreSQLSchema.newest, &report)
                return report
            }
        }
    }

    /// Sets the name by which the server's views show the connections.
    func rename(_ name: String) {
        var session = session
        session.applicationName = name
        for pool in pools { pool.use(session) }
    }

    private var pools: [PostgreSQLPool] { [pool, queries] + writers.values }

    /// Another connection may be one to another server, after a fail-over.
    var epoch: Int { writers[.events]?.opened ?? 0 }

    func isMaintainer() async throws -> Bool {
        let row = try await rows(
            """
            SELECT relay = $1 AND until > now() + interval '20 s', relay <> $1 AND until > now() FROM relay_maintainer
            """, [.text(relay)]
        ).first
        if try row?.int(0) == 1 { return true }
        if try row?.int(1) == 1 { return false }
        let renewed = try await write(
            "UPDATE relay_maintainer SET relay = $1, until = now() + interval '30 s' WHERE relay = $1 OR until < now()",
            [.text(relay)])
        return renewed > 0
    }

    /// Lets another relay be the maintainer at once.
    func endMaintenance() async throws {
        try await write("UPDATE relay_maintainer SET until = '-infinity' WHERE relay = $1", [.text(relay)])
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any StorageConnection) throws -> Value) async throws -> Value {
        try await Self.read(pool, body)
    }

    func query<Value: Sendable>(_ body: @escaping @Sendable (any StorageConnection) throws -> Value) async throws -> Value {
        try await turns.run(within: queryTime) { [queries] in try await Self.read(queries, body) }
    }

    func rows(_ sql: String, _ values: [StorageValue]) async throws -> [StorageRow] {
        try await Self.repeating { [pool] in
            try await pool.withConnection { try $0.rows(sql, values) }
        }
    }

    func write<Value: Sendable>(
        _ part: StoragePart, _ body: @escaping @Sendable (any StorageConnection) throws -> Value,
        done: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        Task { [writers] in
            do {
                guard let pool = writers[part] else { throw RelayStorageError.closed }
                let value = try await Self.translating {
                    try await pool.transaction(begin: [Self.begin, "SELECT FROM \(part.table) WHERE id = 1 FOR UPDATE"]) {
                        try body($0)
                    }
                }
                done(.success(value))
            } catch {
                done(.failure(error))
            }
        }
    }

    /// Each statement sees what was committed before it, as the statements after the lock have to.
    static let begin = "BEGIN ISOLATION LEVEL READ COMMITTED"

    /// Writes with one statement, which assigns no numbers. Cancelling the task has no effect.
    /// - Returns: the number of changed rows.
    @discardableResult
    func write(_ sql: String, _ values: [PostgreSQLValue] = []) async throws -> Int {
        try await Task { [pool] in
            try await Self.translating { try await pool.transaction(begin: [Self.begin]) { try $0.execute(sql, values) } }
        }.value
    }

    /// Runs `body` in a transaction that opens the store, one after the other.
    func whileOpening<Value: Sendable>(
        _ body: @escaping @Sendable (any StorageConnection) throws -> Value
    ) async throws -> Value {
        try await Self.translating { try await pool.transaction(begin: PostgreSQLSchema.lock) { try body($0) } }
    }

    /// Runs `body`, whose statements fail if the server does not answer in time, and closes all connections.
    func close(after body: () async -> Void) async {
        let abort = Task { [pools] in
            try await Task.sleep(for: Self.closingTime)
            for pool in pools { pool.abort() }
        }
        await body()
        abort.cancel()
        for pool in pools { pool.close() }
    }

    private static func read<Value: Sendable>(
        _ pool: PostgreSQLPool, _ body: @escaping @Sendable (any StorageConnection) throws -> Value
    ) async throws -> Value {
        try await repeating {
            try await pool.transaction(begin: ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"]) { try body($0) }
        }
    }

    private static func repeating<Value: Sendable>(_ read: () async throws -> Value) async throws -> Value {
        try await translating {
            do {
                return try await read()
            } catch let error as PostgreSQLError where error.endsConnection && error.code != .timeout {
                return try await read()
            }
        }
    }

    private static func translating<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as PostgreSQLError {
            throw RelayStorageError(error)
        }
    }
}

extension RelayStorageError {
    init(_ error: PostgreSQLError) {
        switch error.code {
        case .closed: self = .closed
        case .exhausted: self = .busy
        case .decoding: self = .corrupt(error.message)
        case .server("53100"): self = .full
        case .server("57014"): self = .timedOut
        // Data exceptions, constraints, and limits of the server.
        case .server(let state) where ["22", "23", "54"].contains(state.prefix(2)): self = .refused(error.description)
        case .tooLarge: self = .refused(error.message)
        case .server(let state) where state.hasPrefix("XX0") && state != "XX000": self = .corrupt(error.description)
        default: self = .unavailable(error.description)
        }
    }
}
#endif
