#if PostgreSQL
import Foundation
import PostgreSQLClient

/// Stores everything in a PostgreSQL database, which any number of relays share.
///
/// When a write returns, its transaction is committed. If the connection is lost during a write, the call throws
/// ``RelayStorageError/unavailable(_:)`` and may have been stored. A repeated batch is then reported as duplicates. A database that
/// is away does not have to be opened again: later calls connect again, also to another server after a fail-over.
public final class PostgreSQLRelayStorage: ComposedRelayStorage {
    let database: PostgreSQLDatabase
    private let arrival: PostgreSQLArrival
    private let notifier: PostgreSQLNotifier
    private let events: PostgreSQLEventStore
    private let records: PostgreSQLRecordStore
    private let tokens: PostgreSQLTokenStore
    public let sharedRates: (any RelayRateStorage)?
    private let listener: PostgreSQLListener
    private let configuration: RelayStorageConfiguration
    public let stores: RelayStores

    /// Connects, and creates or updates the tables in the first schema of the connection's search path.
    /// - Parameter url: `postgresql://USER@HOST/NAME`, with any of libpq's parameters, such as `sslmode`.
    /// - Throws: ``RelayStorageError``.
    public convenience init(url: String, configuration: RelayStorageConfiguration = .init()) async throws {
        let address: PostgreSQLAddress
        do {
            address = try PostgreSQLAddress(url)
        } catch let error as PostgreSQLError {
            throw RelayStorageError(error)
        }
        try await self.init(try await PostgreSQLDatabase.open(address, configuration), configuration)
    }

    private init(_ database: PostgreSQLDatabase, _ configuration: RelayStorageConfiguration) async throws {
        let newest = try await Newest.fetch(database)
        let notifier = PostgreSQLNotifier(database)
        let arrival = PostgreSQLArrival(database.store, configuration)
        (self.database, self.configuration) = (database, configuration)
        (self.notifier, self.arrival) = (notifier, arrival)
        events = PostgreSQLEventStore(
            database, configuration, arrival: arrival, newest: newest.event, totals: newest.totals
        ) { notifier.events(before: $0, of: $1) }
        records = PostgreSQLRecordStore(database, keeping: RecordChangeBounds(configuration), next: newest.recordChange) {
            notifier.records(of: $0)
        }
        tokens = PostgreSQLTokenStore(database, changes: newest.tokenChange) { notifier.tokens() }
        stores = RelayStores(
            events: events, records: records, subscriptions: PostgreSQLSubscriptionStore(database: database), tokens: tokens,
            clientKeys: PostgreSQLClientKeyStore(database: database))
        sharedRates = PostgreSQLRateStore(database, relay: notifier.relay)
        listener = PostgreSQLListener(
            database: database, events: events, records: records, tokens: tokens, relay: notifier.relay,
            logger: configuration.logger)
        try await events.prepare()
    }

    public func check() async throws {
        _ = try await database.read { try await $0.execute("SELECT store FROM relay_state WHERE id = 1").row }
    }

    public func usage() async throws -> RelayUsage {
        let (totals, row) = try await database.read { connection in
            (
                try await PostgreSQLEventTotals.fetch(connection),
                try await connection.execute(
                    """
                    SELECT (SELECT COUNT(*) FROM record), COALESCE((SELECT SUM(\(RecordRow.size)) FROM record), 0)::bigint,
                        COALESCE((\(RecordChangeBounds.usage)), 0)::bigint,
                        COALESCE((SELECT SUM(length(body)) FROM subscription), 0)::bigint
                    """
                ).row
            )
        }
        return RelayUsage(
            events: Int(totals.events), eventBytes: Int(totals.bytes), rememberedEvents: Int(totals.remembered),
            records: Int(try row.int(0)), recordBytes: Int(try row.int(1)), recordChangeBytes: Int(try row.int(2)),
            subscriptionBytes: Int(try row.int(3)), expired: events.expired)
    }

    public func expire() async throws { try await events.expire() }

    public func run() async throws {
        let (retries, retry) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let uses = StorageSteps.Step(failure: "the tokens' last use cannot be written") { [tokens] in
            try await tokens.writeUses()
        }
        let work = StorageSteps(
            configuration: configuration,
            frequent: [
                .init(failure: "other relays' changes cannot be read") { [self] in
                    retry.yield()
                    try await announce()
                }
            ],
            maintenance: [uses, .init(failure: "expired events cannot be deleted") { [events] in try await events.expire() }])
        await withTaskGroup { group in
            group.addTask { [listener] in await listener.run(retries: retries) }
            await work.run()
            group.cancelAll()
        }
        await work.attempt(uses)
    }

    /// Announces changes by other relays of the store whose notifications were lost.
    private func announce() async throws {
        let newest = try await Newest.fetch(database)
        records.announcer.announce(before: newest.recordChange)
        tokens.announcer.announce(before: newest.tokenChange)
        events.announcer.announceNewest(newest.event)
        events.update(newest.totals)
    }

    public func close() async throws {
        records.announcer.finish()
        tokens.announcer.finish()
        // Without the server, the last uses of tokens are lost.
        await database.close {
            await events.close()
            await notifier.close()
            try? await tokens.writeUses()
            try? await database.write { [arrival] in try await arrival.save($0) }
        }
    }

    /// The numbers by which changes of other relays are found, and the sums of all relays.
    private struct Newest {
        let recordChange: Int64
        let tokenChange: Int64
        let event: Int64
        let totals: PostgreSQLEventTotals

        static func fetch(_ database: PostgreSQLDatabase) async throws -> Newest {
            let (row, totals) = try await database.read { connection in
                (
                    try await connection.execute(
                        "SELECT next_change, token_changes, COALESCE((SELECT MAX(number) FROM event), 0) FROM relay_state"
                    ).row, try await PostgreSQLEventTotals.fetch(connection)
                )
            }
            return Newest(recordChange: try row.int(0), tokenChange: try row.int(1), event: try row.int(2), totals: totals)
        }
    }
}
#endif
