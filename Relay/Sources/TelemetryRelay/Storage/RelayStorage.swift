public import ServiceLifecycle

/// The stores of a ``RelayStorage``.
public struct RelayStores: Sendable {
    public var events: any RelayEventStorage
    public var records: any RelayRecordStorage
    public var subscriptions: any RelaySubscriptionStorage
    public var tokens: any RelayTokenStorage
    public var clientKeys: any RelayClientKeyStorage
    public var debugLogs: any DebugLogStorage
    public var audit: any RelayAuditStorage
    public var webhooks: any RelayWebhookStorage
    public var alerts: any RelayAlertStorage

    public init(
        events: any RelayEventStorage, records: any RelayRecordStorage, subscriptions: any RelaySubscriptionStorage,
        tokens: any RelayTokenStorage, clientKeys: any RelayClientKeyStorage, debugLogs: any DebugLogStorage,
        audit: any RelayAuditStorage, webhooks: any RelayWebhookStorage, alerts: any RelayAlertStorage
    ) {
        self.events = events
        self.records = records
        self.subscriptions = subscriptions
        self.tokens = tokens
        self.clientKeys = clientKeys
        self.debugLogs = debugLogs
        self.audit = audit
        self.webhooks = webhooks
        self.alerts = alerts
    }
}

/// Stores everything, independent of the database.
///
/// A storage is independent of HTTP, the strings of tokens and the permissions of roles: callers pass permissions as filters and
/// closures. Every method, also of its stores, may be called concurrently from any task, and throws ``RelayStorageError`` unless stated otherwise.
/// Reads support cancellation by throwing `CancellationError`; a write that has begun completes.
///
/// Identifiers, names and scenarios are compared like Swift's `==`, by Unicode canonical equivalence; those of more than 16 KiB by
/// their bytes.
///
/// ``run()`` does the background work: retention, changes by other relays on the same database, the last use of tokens.
public protocol RelayStorage: Service {
    var stores: RelayStores { get }
    /// Shares the use of rate limits with the other relays of the store; nil, the default, for a storage that only one relay uses.
    var sharedRates: (any RelayRateStorage)? { get }
    /// Throws if the database does not respond; used by `/readyz`.
    func check() async throws
    /// Returns the current size, and the number of events that retention has deleted since this storage was opened.
    func usage() async throws -> RelayUsage
    /// Deletes events, debug logs and entries of the audit beyond the retention limits. ``run()`` does so every minute; writes of events and
    /// debug logs do it as well, but do not apply the rules of scenarios.
    func expire() async throws
    /// Runs background work until the task is cancelled or a graceful shutdown begins, and then writes pending data. A storage is
    /// usable before and without this method, but without it, does not detect changes by other relays and deletes nothing.
    func run() async throws
    /// Ends all hint streams and closes the database. Later calls throw ``RelayStorageError/closed``.
    func close() async throws
}

extension RelayStorage {
    public var sharedRates: (any RelayRateStorage)? { nil }
    public var events: any RelayEventStorage { stores.events }
    public var records: any RelayRecordStorage { stores.records }
    public var subscriptions: any RelaySubscriptionStorage { stores.subscriptions }
    public var tokens: any RelayTokenStorage { stores.tokens }
    public var clientKeys: any RelayClientKeyStorage { stores.clientKeys }
    public var debugLogs: any DebugLogStorage { stores.debugLogs }
    public var audit: any RelayAuditStorage { stores.audit }
    public var webhooks: any RelayWebhookStorage { stores.webhooks }
    public var alerts: any RelayAlertStorage { stores.alerts }
}

/// The size of a storage.
public struct RelayUsage: Sendable, Equatable {
    /// The number of stored events.
    public var events: Int
    /// The approximate size of the events, in bytes.
    public var eventBytes: Int
    /// The number of deleted events whose identifiers are kept to detect duplicates.
    public var rememberedEvents: Int
    /// The number of stored records.
    public var records: Int
    /// The size of the records, in bytes of JSON.
    public var recordBytes: Int
    /// The approximate size of the log of record changes, in bytes.
    public var recordChangeBytes: Int
    /// The size of the subscriptions, in bytes of JSON.
    public var subscriptionBytes: Int
    /// The number of events that retention deleted since this storage was opened, by the limit that they exceeded.
    public var expired: [RelayEventRetention.Bound: Int]
    public var debugLogs: DebugLogUsage
    /// The number of entries of the audit.
    public var auditEntries: Int
    /// The number of deliveries to webhooks that wait.
    public var deliveries: Int

    public init(
        events: Int, eventBytes: Int, rememberedEvents: Int, records: Int, recordBytes: Int = 0, recordChangeBytes: Int,
        subscriptionBytes: Int, expired: [RelayEventRetention.Bound: Int], debugLogs: DebugLogUsage,
        auditEntries: Int = 0, deliveries: Int = 0
    ) {
        self.events = events
        self.eventBytes = eventBytes
        self.rememberedEvents = rememberedEvents
        self.records = records
        self.recordBytes = recordBytes
        self.recordChangeBytes = recordChangeBytes
        self.subscriptionBytes = subscriptionBytes
        self.expired = expired
        self.debugLogs = debugLogs
        self.auditEntries = auditEntries
        self.deliveries = deliveries
    }
}
