#if PostgreSQL
public import Foundation
import PostgreSQLClient
public import TelemetryTransport

/// Stores everything in a PostgreSQL database, which any number of relays share.
///
/// When a write returns, its transaction is committed. If the connection is lost during a write, the call throws
/// ``RelayStorageError/unavailable(_:)`` and may have been stored. A repeated batch is then reported as duplicates. A database that
/// is away does not have to be opened again: later calls connect again, also to another server after a fail-over.
public final class PostgreSQLRelayStorage: RelayStorage, RelayRateStorage {
    let database: PostgreSQLDatabase
    private let arrival: PostgreSQLArrival
    private let notifier: PostgreSQLNotifier
    private let events: PostgreSQLEventStore
    private let recordStore: PostgreSQLRecordStore
    private let subscriptionStore: PostgreSQLSubscriptionStore
    private let tokenStore: PostgreSQLTokenStore
    private let keys: PostgreSQLClientKeyStore
    private let rates: PostgreSQLRateStore
    private let background: PostgreSQLBackgroundWork

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
        let row = try await database.read { connection in
            try await connection.execute(
                "SELECT next_change, token_changes, COALESCE((SELECT MAX(number) FROM event), 0) FROM relay_state"
            ).row
        }
        let notifier = PostgreSQLNotifier(database)
        let arrival = PostgreSQLArrival(database.store, configuration)
        (self.database, self.notifier, self.arrival) = (database, notifier, arrival)
        events = PostgreSQLEventStore(
            database, retention: configuration.events, arrival: arrival, newest: try row.int(2)
        ) { notifier.events(before: $0, of: $1) }
        recordStore = PostgreSQLRecordStore(database, capacity: configuration.recordChanges, next: try row.int(0)) {
            notifier.records(of: $0)
        }
        subscriptionStore = PostgreSQLSubscriptionStore(database: database)
        tokenStore = PostgreSQLTokenStore(database, changes: try row.int(1)) { notifier.tokens() }
        keys = PostgreSQLClientKeyStore(database: database)
        rates = PostgreSQLRateStore(database, relay: notifier.relay)
        let listener = PostgreSQLListener(
            database: database, events: events, records: recordStore, tokens: tokenStore, relay: notifier.relay,
            logger: configuration.logger)
        background = PostgreSQLBackgroundWork(
            database: database, events: events, records: recordStore, tokens: tokenStore, listener: listener,
            configuration: configuration)
        try await events.prepare()
    }

    public func check() async throws {
        _ = try await database.read { try await $0.execute("SELECT store FROM relay_state WHERE id = 1").row }
    }

    public func usage() async throws -> RelayUsage {
        let (totals, records) = try await database.read { connection in
            (
                try await PostgreSQLEventTotals.fetch(connection),
                try await connection.execute("SELECT COUNT(*) FROM record").row.int(0)
            )
        }
        return RelayUsage(
            events: Int(totals.events), eventBytes: Int(totals.bytes), rememberedEvents: Int(totals.remembered),
            records: Int(records), expired: events.expired)
    }

    public func expire() async throws { try await events.expire() }

    public func run() async throws { try await background.run() }

    public func close() async throws {
        recordStore.close()
        tokenStore.close()
        // Without the server, the last uses of tokens are lost.
        await database.close {
            await events.close()
            await notifier.close()
            try? await tokenStore.writeUses()
            try? await database.write { [arrival] in try await arrival.save($0) }
        }
    }
}

extension PostgreSQLRelayStorage {
    public func append(_ events: [RelayEvent]) async throws -> RelayAppendResult { try await self.events.append(events) }

    public func events(
        matching filter: RelayEventFilter, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) async throws -> RelayEventPage {
        try await events.events(matching: filter, after: cursor, limit: limit, order: order)
    }

    public func countEvents(matching filter: RelayEventFilter) async throws -> Int {
        try await events.countEvents(matching: filter)
    }

    public func deleteEvents(matching filter: RelayEventFilter) async throws -> Int {
        try await events.deleteEvents(matching: filter)
    }

    public func latestEventCursor() async throws -> RelayEventCursor { try await events.latestEventCursor() }

    public func eventHints(of clients: Set<String>?) -> AsyncStream<Void> { events.eventHints(of: clients) }
}

extension PostgreSQLRelayStorage {
    public func save(
        _ records: [RelayRecord], policy: TelemetrySavePolicy,
        admit: @escaping @Sendable (_ proposed: RelayRecord, _ stored: RelayRecord?) throws -> RelayRecord
    ) async throws -> RelaySaveResult {
        try await recordStore.save(records, policy: policy, admit: admit)
    }

    public func record(named name: String) async throws -> RelayRecord? { try await recordStore.record(named: name) }

    public func records(matching query: TelemetryRecordQuery, of clients: Set<String>?) async throws -> [RelayRecord] {
        try await recordStore.records(matching: query, of: clients)
    }

    public func deleteRecords(
        named names: [String], admit: @escaping @Sendable (RelayRecord) throws -> Bool
    ) async throws -> Int {
        try await recordStore.deleteRecords(named: names, admit: admit)
    }

    public func latestRecordChange() async throws -> RelayChangePosition { try await recordStore.latestRecordChange() }

    public func recordChanges(after position: RelayChangePosition, limit: Int) async throws -> [RelayRecordChange]? {
        try await recordStore.recordChanges(after: position, limit: limit)
    }

    public func recordHints(of clients: Set<String>?) -> AsyncStream<Void> { recordStore.recordHints(of: clients) }
}

extension PostgreSQLRelayStorage {
    public func saveSubscription(_ subscription: TelemetrySubscription, owner: String) async throws {
        try await subscriptionStore.saveSubscription(subscription, owner: owner)
    }

    public func subscription(withID id: TelemetrySubscription.ID, owner: String) async throws -> TelemetrySubscription? {
        try await subscriptionStore.subscription(withID: id, owner: owner)
    }

    public func deleteSubscription(withID id: TelemetrySubscription.ID, owner: String) async throws -> Bool {
        try await subscriptionStore.deleteSubscription(withID: id, owner: owner)
    }

    public func subscriptions(owner: String) async throws -> [TelemetrySubscription] {
        try await subscriptionStore.subscriptions(owner: owner)
    }
}

extension PostgreSQLRelayStorage {
    public func createToken(_ token: RelayToken, hash: Data) async throws {
        try await tokenStore.createToken(token, hash: hash)
    }

    public func token(hash: Data) async throws -> RelayToken? { try await tokenStore.token(hash: hash) }

    public func tokens() async throws -> [RelayToken] { try await tokenStore.tokens() }

    public func revokeToken(named name: String, at date: Date) async throws -> Bool {
        try await tokenStore.revokeToken(named: name, at: date)
    }

    public func noteUse(ofTokenNamed name: String, at date: Date) { tokenStore.noteUse(ofTokenNamed: name, at: date) }

    public func hasTokens() async throws -> Bool { try await tokenStore.hasTokens() }

    public func tokenHints() -> AsyncStream<Void> { tokenStore.tokenHints() }

    public func bindClientKeys(_ keys: [RelayClientKey]) async throws -> RelayKeyBinding {
        try await self.keys.bindClientKeys(keys)
    }

    public func unboundClients(among clientIds: [String]) async throws -> [String] {
        try await keys.unboundClients(among: clientIds)
    }

    public func exchangeUse(_ use: [RelayRateSource: Double]) async throws -> [RelayRateSource: Double] {
        try await rates.exchangeUse(use)
    }
}
#endif
