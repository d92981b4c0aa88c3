public import ServiceLifecycle

/// Everything that the relay keeps but debug logs, behind one protocol that a database implements.
///
/// A storage knows nothing of HTTP, tokens' texts or roles' rights: callers pass what is permitted as filters and closures. Every
/// method may be called from any task, also concurrently, and throws ``RelayStorageError`` unless it says otherwise. Reads may be
/// cancelled and then throw `CancellationError`; what a write has begun is finished.
///
/// Texts that Swift's `==` calls equal are one name: identifiers, names and scenarios are compared in Unicode's canonical form.
///
/// ``run()`` does the work in the background: retention, changes that another relay made to the same database, tokens' last use.
public protocol RelayStorage: RelayEventStorage, RelayRecordStorage, RelaySubscriptionStorage, RelayTokenStorage,
    RelayClientKeyStorage, Service
{
    /// Throws where the database does not answer: what `/readyz` asks.
    func check() async throws
    /// What is stored now, and what retention has deleted since this storage was opened.
    func usage() async throws -> RelayUsage
    /// Deletes what is beyond the bounds, in small transactions. ``run()`` calls it every minute, and sooner where much arrives.
    func expire() async throws
    /// Works in the background until the task is cancelled or a graceful shutdown begins, and then writes what is still to be
    /// written. A storage is usable before and without it, but hears nothing from other relays and deletes nothing.
    func run() async throws
    /// Ends every stream of hints and closes the database. Later calls throw ``RelayStorageError/closed``.
    func close() async throws
}

/// How much a storage holds.
public struct RelayUsage: Sendable, Equatable {
    /// Events stored.
    public var events: Int
    /// What they take, in bytes, about.
    public var eventBytes: Int
    /// Identifiers of deleted events that are remembered, so that these are not stored again.
    public var rememberedEvents: Int
    /// Records stored.
    public var records: Int
    /// Events that retention deleted since this storage was opened, by the bound that they were beyond.
    public var expired: [RelayEventRetention.Bound: Int]

    public init(
        events: Int, eventBytes: Int, rememberedEvents: Int, records: Int, expired: [RelayEventRetention.Bound: Int]
    ) {
        self.events = events
        self.eventBytes = eventBytes
        self.rememberedEvents = rememberedEvents
        self.records = records
        self.expired = expired
    }
}
