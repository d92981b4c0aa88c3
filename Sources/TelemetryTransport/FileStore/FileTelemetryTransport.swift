public import Foundation
public import TelemetryModels
package import TelemetrySystem

/// A store in a directory that any number of processes on one machine share: clients, viewers, tools.
///
/// Each record is a file that is replaced atomically. Events are lines of JSON in append-only segments with one writer each. A
/// journal lists all changes in order, for other processes to follow. If a process is killed, the data of calls that returned is
/// not lost. The article "The file store's format" describes the files.
///
/// If the directory is removed, the next call that writes creates it again, empty. Every method throws
/// ``TelemetryTransportError``: `.unavailable` if the system fails or another process holds a lock too long, `.quotaExceeded` if
/// the disk is full, `.unauthorized` if the system denies access.
public actor FileTelemetryTransport: TelemetryTransporting {
    private nonisolated let layout: StoreLayout
    private nonisolated let follower: JournalFollower
    private let store: OpenStore
    private let writer: EventWriter
    private let reader: ForwardReader
    private let backwardReader: BackwardReader
    private let counter: EventCounter
    private let recordStore: RecordStore
    private let subscriptions: SubscriptionStore

    /// Opens the store in a directory, or creates it, directories with mode 0700 and files with 0600.
    ///
    /// - Throws: ``TelemetryTransportError``: `.invalidArgument` if the URL is not a file URL or the path is not a directory;
    ///   `.corrupted` if the directory contains another format or another version of this one, which is left unchanged;
    ///   `.unauthorized` if the directory belongs to another user, or every user may write to it; `.unauthorized`,
    ///   `.quotaExceeded` or `.unavailable` for errors of the system.
    public init(directory: URL, configuration: Configuration = .default) throws {
        try self.init(directory: directory, configuration: configuration, system: FileSystem())
    }

    package init(directory: URL, configuration: Configuration, system: FileSystem) throws {
        guard directory.isFileURL, !directory.path.isEmpty else {
            throw TelemetryTransportError.invalidArgument("\(directory) is not the path of a directory.")
        }
        layout = StoreLayout(directory: directory.standardizedFileURL.path)
        store = try OpenStore(layout: layout, system: system, configuration: configuration)
        let cleanup = StoreCleanup(store)
        let cursors = EventCursors(store)
        writer = EventWriter(store, cleanup: cleanup)
        reader = ForwardReader(store: store, cursors: cursors)
        backwardReader = BackwardReader(store: store, cursors: cursors)
        counter = EventCounter(store: store, cursors: cursors)
        recordStore = RecordStore(store: store, cleanup: cleanup)
        subscriptions = SubscriptionStore(store: store)
        follower = JournalFollower(layout: layout, system: system, configuration: configuration)
    }

    deinit { follower.stop() }

    // MARK: Events

    /// Stores events in the order given. Appends for different clients do not wait for each other.
    ///
    /// Checks every event first, and stores none if one of them is invalid.
    /// - Throws: ``TelemetryTransportError``: `.invalidArgument` for a client identifier that is empty or too long, a date
    ///   outside the years 1 to 9999, or an event larger than ``Configuration/maximumEventBytes``.
    public func append(_ events: [TelemetryEvent]) async throws { try await writer.append(events) }

    /// Stores the events of a logger without converting them to `TelemetryEvent`s.
    ///
    /// If one of them is invalid, those of earlier parts of a batch of more than 512 may have been stored.
    /// - Throws: ``TelemetryTransportError``, as the same method for an array of events does.
    public func append(_ batch: TelemetryEventBatch) async throws {
        guard let encoded = batch.encoded, encoded.count > 0 else { return try await writer.append(batch.events) }
        try await writer.append(encoded)
    }

    public func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        try TransportArguments.check(limit: limit)
        try filter.validate()
        return try await reader.page(matching: filter, after: cursor, limit: limit)
    }

    /// Reads the newest events before a cursor, from the journal's newest file backwards.
    public func events(
        matching filter: TelemetryEventFilter, before cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventHistoryPage {
        try TransportArguments.check(limit: limit)
        try filter.validate()
        return try await backwardReader.page(matching: filter, before: cursor, limit: limit)
    }

    /// The number of stored events that match. The totals, overall and per client, are known without reading events.
    public func countEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try filter.validate()
        guard filter.selectsWholeClients else { return try await reader.count(matching: filter) }
        var count: UInt64 = 0
        for name in try store.clientDirectories(of: filter) {
            count = count.addingClamped(try await counter.total(ofClient: name))
        }
        return Int(clamping: count)
    }

    /// The number of stored events that match, from the summaries that ``eventCounts(matching:progress:)`` uses.
    public func summarizedCount(matching filter: TelemetryEventFilter) async throws -> Int {
        let counts = try await eventCounts(matching: filter)
        return Int(clamping: counts.reduce(UInt64(0)) { $0.addingClamped(UInt64($1.count)) })
    }

    /// The numbers of the stored events that match, from the summaries in the journal and its indexes.
    ///
    /// Reads the events of batches without a summary, of segments from which events were deleted, and of batches that a
    /// condition divides. Damage to other events is not noticed.
    public func eventCounts(
        matching filter: TelemetryEventFilter, progress: @Sendable (Int) -> Void
    ) async throws -> [TelemetryEventCount] {
        try filter.validate()
        return try await counter.counts(matching: filter)
    }

    /// Evaluates a query on the stored events that match, in one pass. What only counts by client, session, scenario, level or time is
    /// computed from the summaries that ``eventCounts(matching:progress:)`` uses where these suffice.
    public func result(
        of query: TelemetryQuery, matching filter: TelemetryEventFilter, now: Date
    ) async throws -> TelemetryQueryResult {
        try filter.validate()
        let filter = filter.narrowed(to: query, now: now)
        if let result = try await counter.result(of: query, matching: filter, now: now) { return result }
        return try await reader.result(of: query, matching: filter, now: now)
    }

    /// Removes every stored event that matches, even while other processes append, and frees its space.
    ///
    /// Events appended during the call may remain. From a damaged segment, only the readable lines that match are removed.
    @discardableResult
    public func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try filter.validate()
        return try await writer.deleteEvents(matching: filter)
    }

    public nonisolated func eventArrivals() -> AsyncStream<Void> { follower.arrivals() }

    // MARK: Records

    public func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        try await recordStore.save(records, policy: policy)
    }

    public func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? { try recordStore.record(withID: id) }

    public func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        try recordStore.records(matching: query)
    }

    @discardableResult
    public func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        try await recordStore.deleteRecords(withIDs: ids)
    }

    // MARK: Subscriptions

    public func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        try await subscriptions.save(subscription)
        return subscription.id
    }

    public func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        try subscriptions.subscription(withID: id)
    }

    public func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        try await subscriptions.deleteSubscription(withID: id)
    }

    /// Returns the changes from now on, by this process and others, within milliseconds if the system reports file changes.
    public nonisolated func notifications() -> AsyncStream<TelemetryNotification> { follower.notifications() }

    // MARK: The store

    /// Returns whether the directory is a store of this version that can be read and written. Records of any type can be stored.
    public func validateSchema() async -> Bool { store.isUsable() }

    /// The directory's absolute path, without symbolic links.
    public nonisolated var storeIdentifier: String? {
        "file:" + URL(fileURLWithPath: layout.directory).resolvingSymlinksInPath().path
    }

    public func debugInfo() async -> DebugInfo {
        await debugInfo(containerID: layout.directory, environment: "files in a directory")
    }

    /// Keeps the files of more clients open, three for each, to append to many clients in turn. If descriptors run out, all are
    /// closed and opened again as needed; for the separate package of tools, not part of the interface.
    ///
    /// While a file is open, the space of a segment that another process removes is not free. A process that runs for long
    /// therefore keeps few files open.
    @_spi(Tooling)
    public func keepFilesOpen(ofClients count: Int) { store.clients.keepOpen(count) }
}
