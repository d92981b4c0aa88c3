#if PostgreSQL
import Foundation
import PostgreSQLClient

/// The only access to the server. Translates errors to ``RelayStorageError``, and completes a write that has begun.
struct PostgreSQLDatabase: Sendable {
    /// How long closing waits for the server.
    private static let closingTime: Duration = .seconds(2)

    let pool: PostgreSQLPool
    /// For reads that may take long, so that they do not delay writes and the check of tokens.
    let queries: PostgreSQLPool
    private let turns: Turns
    private let queryTime: Duration
    let store: PostgreSQLStore

    /// Opens the database and creates or updates its tables. Several relays may do so at once.
    /// - Parameters:
    ///   - connections: the maximum number of connections for everything else than queries. With all others and the one that
    ///     listens, ten relays have fewer than the hundred that a server allows by default.
    ///   - queries: the maximum number of connections for queries.
    ///   - storesEvents: whether readers of events have to wait for the transactions of these connections.
    static func open(
        _ address: PostgreSQLAddress, _ configuration: RelayStorageConfiguration, connections: Int = 4, queries: Int = 2,
        storesEvents: Bool = true
    ) async throws -> PostgreSQLDatabase {
        var session = PostgreSQLSession()
        session.waitsForDisk = configuration.survivesPowerCuts
        session.connectTimeout = address.connectTimeout ?? session.connectTimeout
        let pool = PostgreSQLPool(address, session, maximum: connections)
        let queryPool = PostgreSQLPool(address, session, maximum: queries)
        return try await translating {
            try await PostgreSQLSchema.migrate(pool)
            let store = try await PostgreSQLStore.open(pool, configuration)
            // The guard of readers finds the relays of this store by this name; see PostgreSQLStore.guardStatement.
            session.applicationName = storesEvents ? store.applicationName : store.otherApplicationName
            pool.use(session)
            session.applicationName = store.otherApplicationName
            queryPool.use(session)
            return PostgreSQLDatabase(
                pool: pool, queries: queryPool, turns: Turns(maximum: queries, clock: configuration.clock),
                queryTime: configuration.queryTime, store: store)
        }
    }

    /// Reads. After a lost connection, reads once more over another one.
    func read<Value: Sendable>(_ body: @Sendable (PostgreSQLConnection) async throws -> Value) async throws -> Value {
        try await Self.read(pool, body)
    }

    /// Reads what may take long, such as many events, when it is the request's turn.
    func query<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLConnection) async throws -> Value
    ) async throws -> Value {
        try await turns.run(within: queryTime) { [queries] in try await Self.read(queries, body) }
    }

    private static func read<Value: Sendable>(
        _ pool: PostgreSQLPool, _ body: @Sendable (PostgreSQLConnection) async throws -> Value
    ) async throws -> Value {
        try await translating {
            do {
                return try await pool.withConnection(body)
            } catch let error as PostgreSQLError where error.endsConnection && error.code != .timeout {
                return try await pool.withConnection(body)
            }
        }
    }

    /// Writes in one transaction, which must not store events. Cancelling the task has no effect.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLConnection) async throws -> Value
    ) async throws -> Value {
        try await Task { [pool, name = store.otherApplicationName] in
            try await Self.translating { try await pool.transaction(applicationName: name, body) }
        }.value
    }

    /// Writes with one statement. Cancelling the task has no effect.
    @discardableResult
    func write(_ sql: String, _ values: [PostgreSQLValue] = []) async throws -> PostgreSQLResult {
        try await Task { [pool] in
            try await Self.translating { try await pool.execute(sql, values) }
        }.value
    }

    /// Runs `body`, whose statements fail if the server does not answer in time, and closes all connections.
    func close(after body: () async -> Void) async {
        let abort = Task { [pool, queries] in
            try await Task.sleep(for: Self.closingTime)
            await pool.abort()
            await queries.abort()
        }
        await body()
        abort.cancel()
        pool.close()
        queries.close()
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
        case .server(let state) where state.hasPrefix("XX0") && state != "XX000": self = .corrupt(error.description)
        default: self = .unavailable(error.description)
        }
    }
}
#endif
