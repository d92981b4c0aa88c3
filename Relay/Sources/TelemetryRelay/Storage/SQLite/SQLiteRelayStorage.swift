public import Foundation
import GRDB
public import TelemetryTransport

/// Stores everything in an SQLite file or in memory. Several relays may open the same file.
///
/// When a write returns, its data is in the file, even if the process is then killed. Writes of one relay are serialized, and
/// waiting batches of events share a transaction. Readers do not wait.
public final class SQLiteRelayStorage: RelayStorage {
    let database: RelayDatabase
    private let events: SQLiteEventStore
    private let recordStore: SQLiteRecordStore
    private let subscriptionStore: SQLiteSubscriptionStore
    private let tokenStore: SQLiteTokenStore
    private let keys: SQLiteClientKeyStore
    private let background: BackgroundWork

    /// Opens the file, or creates it with access for its owner only.
    /// - Throws: ``RelayStorageError``, `.corrupt` for a file that is not a database or is damaged, which is not changed; a
    ///   `CocoaError` if the file or its directory cannot be created.
    public convenience init(file: URL, configuration: RelayStorageConfiguration = .init()) throws {
        try self.init(
            RelayDatabase.open(file: file, synchronous: configuration.survivesPowerCuts ? .full : .normal), configuration)
    }

    /// Creates a storage in memory.
    public convenience init(inMemory configuration: RelayStorageConfiguration = .init()) throws {
        try self.init(RelayDatabase.inMemory(), configuration)
    }

    private init(_ database: RelayDatabase, _ configuration: RelayStorageConfiguration) throws {
        do {
            self.database = database
            let wall = configuration.now().timeIntervalSinceReferenceDate
            // Does not write to an existing file, so that it can be read when the disk is full.
            let saved = try database.writer.read(RelayState.savedClock)
            if saved == nil {
                let store = configuration.makeIdentifier()
                try database.writer.write { try RelayState.create($0, store: store, wall: wall) }
            }
            let state = try database.writer.read(RelayState.fetch)
            let clock = ArrivalClock(
                after: saved ?? .init(arrival: wall, wall: wall), wall: wall, age: configuration.events.age,
                uptime: configuration.uptime ?? ArrivalClock.continuous())
            events = SQLiteEventStore(
                database: database, retention: configuration.events,
                arrival: ArrivalTime(clock: clock, date: configuration.now), next: state.nextEvent)
            recordStore = SQLiteRecordStore(
                database: database, capacity: configuration.recordChanges, next: state.nextChange)
            subscriptionStore = SQLiteSubscriptionStore(database: database)
            tokenStore = SQLiteTokenStore(database: database, changes: state.tokenChanges)
            keys = SQLiteClientKeyStore(database: database)
            background = BackgroundWork(
                database: database, events: events, records: recordStore, tokens: tokenStore, configuration: configuration)
        } catch {
            throw RelayStorageError.translated(error)
        }
    }

    public func check() async throws { _ = try await database.read(RelayState.fetch) }

    public func usage() async throws -> RelayUsage {
        let (state, records) = try await database.read { db in
            (try RelayState.fetch(db), try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM record") ?? 0)
        }
        return RelayUsage(
            events: Int(state.events), eventBytes: Int(state.eventBytes), rememberedEvents: Int(state.remembered),
            records: records, expired: events.expired)
    }

    public func expire() async throws { try await events.expire() }

    public func run() async throws { try await background.run() }

    public func close() async throws {
        events.close()
        recordStore.close()
        tokenStore.close()
        // On a full disk the last uses of tokens are lost, and the database is closed anyway.
        try? await tokenStore.writeUses()
        try await database.close()
    }
}

extension SQLiteRelayStorage {
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

extension SQLiteRelayStorage {
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

extension SQLiteRelayStorage {
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

extension SQLiteRelayStorage {
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
}
