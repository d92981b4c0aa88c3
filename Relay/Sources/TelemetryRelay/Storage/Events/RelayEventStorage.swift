/// Events: many, immutable, in the order of their arrival.
public protocol RelayEventStorage: Sendable {
    /// Stores a batch, all of it or nothing, and returns when it is on disk. Batches that arrive while a transaction runs share the
    /// next one; each has its own result. An event whose client has stored its `eventId` already is a duplicate, also within the
    /// batch, and is not stored again. Cancelling the caller changes nothing.
    func append(_ events: [RelayEvent]) async throws -> RelayAppendResult

    /// A page of the events that match.
    ///
    /// Ascending: what arrived after `cursor`, or everything, the oldest first. Descending: what arrived before `cursor`, or
    /// everything, the newest first.
    /// - Parameter limit: how many events at most, at least 1. A page also ends at about 8 MiB, and has one event in any case.
    /// - Throws: ``RelayStorageError/invalidCursor``.
    func events(
        matching filter: RelayEventFilter, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) async throws -> RelayEventPage

    /// How many events match.
    func countEvents(matching filter: RelayEventFilter) async throws -> Int

    /// Deletes the events that match and arrived before the call, in small transactions.
    /// - Returns: how many were deleted.
    func deleteEvents(matching filter: RelayEventFilter) async throws -> Int

    /// The cursor behind the newest event: where one begins who wants only what comes.
    func latestEventCursor() async throws -> RelayEventCursor

    /// An element each time that events of one of these clients (nil: of any) may have arrived; several arrivals may be one
    /// element, and one may be for nothing. Subscribe first, then read: no arrival after the call is missed. Arrivals over another
    /// relay follow within a second while ``RelayStorage/run()`` runs.
    func eventHints(of clients: Set<String>?) -> AsyncStream<Void>
}

/// In which order a page of events is.
public enum RelayEventOrder: Sendable { case ascending, descending }

/// What became of a batch.
public struct RelayAppendResult: Sendable, Equatable {
    public var stored: Int
    public var duplicates: Int

    public init(stored: Int, duplicates: Int) {
        self.stored = stored
        self.duplicates = duplicates
    }
}
