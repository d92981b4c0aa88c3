#if PostgreSQL
import Foundation
import PostgreSQLClient

/// Stores everything in a PostgreSQL database, which any number of relays share.
///
/// When a write returns, its transaction is committed. If the connection is lost during a write, the call throws
/// ``RelayStorageError/unavailable(_:)`` and may have been stored. A repeated batch is then reported as duplicates. A database that
/// is away does not have to be opened again: later calls connect again, also to another server after a fail-over.
public final class PostgreSQLRelayStorage: RelayStorage {
    let database: PostgreSQLDatabase
    /// The name of this store's connections in the server's views.
    let name: String
    let parts: DatabaseStores
    private let notifier: PostgreSQLNotifier
    private let listener: PostgreSQLListener
    public let sharedRates: (any RelayRateStorage)?
    public var stores: RelayStores { parts.stores }

    /// Connects, and creates the tables in the first schema of the connection's search path, unless they exist.
    /// - Parameter url: `postgresql://USER@HOST/NAME`, with any of libpq's parameters, such as `sslmode`.
    /// - Throws: ``RelayStorageError``.
    public init(url: String, configuration: RelayStorageConfiguration = .init()) async throws {
        let database = try await PostgreSQLDatabase.open(
            url, configuration, parts: StoragePart.allCases, connections: 2, queries: 2)
        let state =
            if let state = try await database.read(DatabaseStores.State.fetch) { state } else {
                try await database.whileOpening { try DatabaseStores.State.create($0, configuration) }
            }
        name = "telemetry-relay \(state.relay.store.rawValue)"
        database.rename(name)
        let channel = "telemetry_relay_\(state.relay.store.rawValue)"
        let notifier = PostgreSQLNotifier(database, channel: channel)
        (self.database, self.notifier) = (database, notifier)
        parts = DatabaseStores(
            database, state, configuration,
            notifications: .init(
                events: { notifier.events(of: $0) }, records: { notifier.records(of: $0) }, tokens: { _ in notifier.tokens() }))
        listener = PostgreSQLListener(
            database: database, stores: parts, channel: channel, relay: database.relay, configuration: configuration)
        sharedRates = PostgreSQLRateStore(database, relay: database.relay)
    }

    public func check() async throws { _ = try await database.read(EventState.fetch) }

    public func usage() async throws -> RelayUsage { try await parts.usage() }

    public func expire() async throws { try await parts.expire() }

    public func run() async throws {
        await withTaskGroup { group in
            group.addTask { [listener] in await listener.run() }
            await parts.run([])
            group.cancelAll()
        }
    }

    public func close() async throws {
        // Without the server, the last uses of tokens are lost.
        await database.close {
            await parts.finish()
            await notifier.close()
            try? await parts.tokens.writeUses()
            try? await database.endMaintenance()
        }
    }
}
#endif
