import Foundation
import ServiceLifecycle

/// The stores in the tables of a database, with what they have in common.
struct DatabaseStores: Sendable {
    /// The counters of a database when it was opened.
    struct State: Sendable {
        let relay: RelayState
        let events: EventState
        let debugLogs: DebugLogState
        /// Those of the audit.
        let audit: ArrivalClock.Saved
        let alerts: AlertState

        /// - Returns: nil for a new database.
        static func fetch(_ db: any StorageConnection) throws -> State? {
            try RelayState.fetch(db).map {
                State(
                    relay: $0, events: try EventState.fetch(db), debugLogs: try DebugLogState.fetch(db),
                    audit: try AuditLog.clocks(db), alerts: try AlertState.fetch(db))
            }
        }

        /// The state of a database, which is created if it is new.
        static func create(_ db: any StorageConnection, _ configuration: RelayStorageConfiguration) throws -> State {
            try StorageSchema.createState(
                db, store: configuration.makeIdentifier(), wall: configuration.now().timeIntervalSinceReferenceDate)
            guard let state = try fetch(db) else { throw RelayStorageError.corrupt("relay_state is empty") }
            return state
        }
    }

    /// How other relays are notified of changes for some clients; nil means all. Without notifications they find changes by their numbers.
    struct Notifications: Sendable {
        typealias Notification = @Sendable (Set<String>?) -> Void

        let events: Notification
        let records: Notification
        let tokens: Notification
    }

    let events: EventStore
    let records: RecordStore
    let tokens: TokenStore
    let debugLogs: DebugLogStore
    private let clientKeys: ClientKeyStore
    private let audit: AuditStore
    let stores: RelayStores
    private let database: any StorageDatabase
    private let configuration: RelayStorageConfiguration

    init(
        _ database: any StorageDatabase, _ state: State, _ configuration: RelayStorageConfiguration,
        notifications: Notifications? = nil
    ) {
        (self.database, self.configuration) = (database, configuration)
        let log = AuditLog(
            arrival: ArrivalTime(after: state.audit, age: configuration.auditAge, configuration), now: configuration.now)
        audit = AuditStore(database, log: log, age: configuration.auditAge)
        events = EventStore(
            database, configuration, audit: log,
            arrival: ArrivalTime(after: state.events.clocks, age: configuration.events.age, configuration),
            next: state.events.nextEvent, notify: notifications?.events)
        records = RecordStore(
            database, keeping: RecordChangeBounds(configuration), audit: log, next: state.relay.nextChange,
            notify: notifications?.records)
        tokens = TokenStore(database, audit: log, changes: state.relay.tokenChanges, notify: notifications?.tokens)
        debugLogs = DebugLogStore(
            database, configuration,
            arrival: ArrivalTime(after: state.debugLogs.clocks, age: configuration.debugLogs.age, configuration),
            next: state.debugLogs.next)
        clientKeys = ClientKeyStore(database, of: state.relay.store)
        let webhooks = WebhookStore(
            database, audit: log, arrival: ArrivalTime(after: state.alerts.clocks, age: WebhookStore.maximumAge, configuration))
        stores = RelayStores(
            events: events, records: records, subscriptions: SubscriptionStore(database: database), tokens: tokens,
            clientKeys: clientKeys, debugLogs: debugLogs, audit: audit, webhooks: webhooks,
            alerts: AlertStore(
                database, audit: log, webhooks: webhooks, now: configuration.now, logger: configuration.logger))
    }

    func usage() async throws -> RelayUsage {
        try await database.read { [events, debugLogs] db in
            func number(_ sql: String) throws -> Int { Int(try db.int(sql) ?? 0) }
            let state = try EventState.fetch(db)
            return RelayUsage(
                events: Int(state.events), eventBytes: Int(state.eventBytes), rememberedEvents: Int(state.remembered),
                records: try number("SELECT COUNT(*) FROM record"),
                recordBytes: try number("SELECT SUM(\(RecordRow.size)) FROM record"),
                recordChangeBytes: try number(RecordChangeBounds.usage),
                subscriptionBytes: try number("SELECT SUM(length(body)) FROM subscription"), expired: events.expired,
                debugLogs: try debugLogs.usage(db), auditEntries: try number(AuditLog.count),
                deliveries: try number("SELECT COUNT(*) FROM delivery"))
        }
    }

    /// Works in the background until the task is cancelled or a graceful shutdown begins, and then writes pending data.
    /// - Parameter frequent: further steps.
    func run(_ frequent: [StorageSteps.Step]) async {
        let uses = StorageSteps.Step(failure: "the tokens' last use cannot be written") { [tokens] in
            try await tokens.writeUses()
        }
        let work = StorageSteps(
            configuration: configuration,
            frequent: [.init(failure: "other relays' changes cannot be read") { try await announce() }] + frequent,
            background: [
                .init(failure: "blocks of events cannot be merged") { [database, events] in
                    guard try await database.isMaintainer() else { return }
                    try await cancelWhenGracefulShutdown { try await events.merge() }
                }
            ],
            maintenance: [
                .init(failure: "expired events cannot be deleted") { [database, events] in
                    guard try await database.isMaintainer() else { return }
                    try await cancelWhenGracefulShutdown { try await events.expire() }
                },
                .init(failure: "expired debug logs cannot be deleted") { [database, debugLogs] in
                    if try await database.isMaintainer() { try await debugLogs.expire() }
                },
                .init(failure: "expired entries of the audit cannot be deleted") { [database, audit] in
                    if try await database.isMaintainer() { try await audit.expire() }
                }, uses,
            ])
        await work.run()
        await work.attempt(uses)
    }

    /// Announces changes by other relays on the same database, and a restore, which increases all numbers.
    private func announce() async throws {
        guard let state = try await database.read(State.fetch) else { return }
        clientKeys.validate(state.relay.store)
        events.announcer.announce(before: state.events.nextEvent)
        records.announcer.announce(before: state.relay.nextChange)
        tokens.announcer.announce(before: state.relay.tokenChanges)
        debugLogs.announcer.announce(before: state.debugLogs.next)
    }

    /// Ends all hint streams, and returns after the batches of events and the entries of the audit that wait.
    func finish() async {
        await events.finish()
        await audit.finish()
        events.announcer.finish()
        records.announcer.finish()
        tokens.announcer.finish()
        debugLogs.announcer.finish()
    }

    /// Deletes events, debug logs and entries of the audit beyond the retention limits.
    func expire() async throws {
        try await events.expire()
        try await debugLogs.expire()
        try await audit.expire()
    }
}
