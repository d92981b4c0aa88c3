public import Foundation
public import TelemetryTransport

/// The stores of which a ``ComposedRelayStorage`` consists.
public struct RelayStores: Sendable {
    public let events: any RelayEventStorage
    public let records: any RelayRecordStorage
    public let subscriptions: any RelaySubscriptionStorage
    public let tokens: any RelayTokenStorage
    public let clientKeys: any RelayClientKeyStorage

    public init(
        events: any RelayEventStorage, records: any RelayRecordStorage, subscriptions: any RelaySubscriptionStorage,
        tokens: any RelayTokenStorage, clientKeys: any RelayClientKeyStorage
    ) {
        self.events = events
        self.records = records
        self.subscriptions = subscriptions
        self.tokens = tokens
        self.clientKeys = clientKeys
    }
}

/// A storage that passes each call on to one of several stores.
public protocol ComposedRelayStorage: RelayStorage {
    var stores: RelayStores { get }
}

extension ComposedRelayStorage {
    public func append(_ batch: RelayEventBatch) async throws -> RelayAppendResult { try await stores.events.append(batch) }

    public func events(
        matching filter: RelayEventFilter, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) async throws -> RelayEventPage {
        try await stores.events.events(matching: filter, after: cursor, limit: limit, order: order)
    }

    public func countEvents(matching filter: RelayEventFilter) async throws -> Int {
        try await stores.events.countEvents(matching: filter)
    }

    public func deleteEvents(matching filter: RelayEventFilter) async throws -> Int {
        try await stores.events.deleteEvents(matching: filter)
    }

    public func latestEventCursor() async throws -> RelayEventCursor { try await stores.events.latestEventCursor() }

    public func eventHints(of clients: Set<String>?) -> AsyncStream<Void> { stores.events.eventHints(of: clients) }
}

extension ComposedRelayStorage {
    public func save(
        _ records: [RelayRecord], policy: TelemetrySavePolicy,
        admit: @escaping @Sendable (_ proposed: RelayRecord, _ stored: RelayRecord?) throws -> RelayRecord
    ) async throws -> RelaySaveResult {
        try await stores.records.save(records, policy: policy, admit: admit)
    }

    public func record(named name: String) async throws -> RelayRecord? { try await stores.records.record(named: name) }

    public func records(
        matching query: TelemetryRecordQuery, of clients: Set<String>?, _ request: RelayRecordPageRequest
    ) async throws -> RelayRecordPage {
        try await stores.records.records(matching: query, of: clients, request)
    }

    public func recordUsage(of client: String, types: [String], without names: [String]) async throws -> RelayRecordUsage {
        try await stores.records.recordUsage(of: client, types: types, without: names)
    }

    public func deleteRecords(
        named names: [String], admit: @escaping @Sendable (RelayRecord) throws -> Bool
    ) async throws -> Int {
        try await stores.records.deleteRecords(named: names, admit: admit)
    }

    public func latestRecordChange() async throws -> RelayChangePosition { try await stores.records.latestRecordChange() }

    public func recordChanges(after position: RelayChangePosition, limit: Int) async throws -> [RelayRecordChange]? {
        try await stores.records.recordChanges(after: position, limit: limit)
    }

    public func recordHints(of clients: Set<String>?) -> AsyncStream<Void> { stores.records.recordHints(of: clients) }
}

extension ComposedRelayStorage {
    public func saveSubscription(_ subscription: TelemetrySubscription, owner: String) async throws {
        try await stores.subscriptions.saveSubscription(subscription, owner: owner)
    }

    public func subscription(withID id: TelemetrySubscription.ID, owner: String) async throws -> TelemetrySubscription? {
        try await stores.subscriptions.subscription(withID: id, owner: owner)
    }

    public func deleteSubscription(withID id: TelemetrySubscription.ID, owner: String) async throws -> Bool {
        try await stores.subscriptions.deleteSubscription(withID: id, owner: owner)
    }

    public func subscriptions(owner: String) async throws -> [TelemetrySubscription] {
        try await stores.subscriptions.subscriptions(owner: owner)
    }
}

extension ComposedRelayStorage {
    public func createToken(_ token: RelayToken, hash: Data) async throws {
        try await stores.tokens.createToken(token, hash: hash)
    }

    public func token(hash: Data) async throws -> RelayToken? { try await stores.tokens.token(hash: hash) }

    public func tokens() async throws -> [RelayToken] { try await stores.tokens.tokens() }

    public func revokeToken(named name: String, at date: Date) async throws -> Bool {
        try await stores.tokens.revokeToken(named: name, at: date)
    }

    public func noteUse(ofTokenNamed name: String, at date: Date) { stores.tokens.noteUse(ofTokenNamed: name, at: date) }

    public func hasTokens() async throws -> Bool { try await stores.tokens.hasTokens() }

    public func tokenHints() -> AsyncStream<Void> { stores.tokens.tokenHints() }

    public func bindClientKeys(_ keys: [RelayClientKey]) async throws -> RelayKeyBinding {
        try await stores.clientKeys.bindClientKeys(keys)
    }

    public func unboundClients(among clientIds: [String]) async throws -> [String] {
        try await stores.clientKeys.unboundClients(among: clientIds)
    }
}
