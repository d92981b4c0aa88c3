public import Foundation
public import TelemetryModels

/// Stores events: many, immutable, in order of arrival.
public protocol RelayEventStorage: Sendable {
    /// Stores a batch, all of it or nothing, and returns when it is on disk. Batches that arrive during a transaction share the
    /// next one, each with its own result. An event whose `eventId` its client has already stored, also within the batch, is a
    /// duplicate and is skipped. Cancelling the caller has no effect.
    func append(_ batch: RelayEventBatch) async throws -> RelayAppendResult

    /// Returns a page of matching events.
    ///
    /// Ascending: the events that arrived after `cursor`, or all events, oldest first. Descending: the events that arrived before
    /// `cursor`, or all events, newest first.
    /// - Parameter limit: the maximum number of events, at least 1. A page also ends at about 8 MiB of lines, each with its header, but always has room for one
    ///   event.
    /// - Throws: ``RelayStorageError/invalidCursor``.
    func page(
        matching filter: RelayEventFilter, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) async throws -> RelayEventPage

    /// Returns the number of matching events.
    func count(matching filter: RelayEventFilter) async throws -> Int

    /// Returns how many events each scenario has, and how much they take, the largest first, and whether scenarios are left out, because
    /// there are more than 10,000.
    func scenarioSizes() async throws -> (sizes: [RelayScenarioSize], hasMore: Bool)

    /// Evaluates a query on the matching events in their order of arrival, in one snapshot of the store.
    /// - Parameters:
    ///   - now: what the query's durations count back from.
    ///   - limit: the maximum number of rows or events of the result.
    ///   - byteLimit: the maximum size of the events that are read, in bytes of lines.
    /// - Throws: `TelemetryQueryError` if the query exceeds a limit of the language, or this one.
    func result(
        of query: TelemetryQuery, matching filter: RelayEventFilter, now: Date, limit: Int, byteLimit: Int
    ) async throws -> RelayQueryResult

    /// Deletes the matching events that arrived before the call, in small transactions.
    /// - Parameter entry: returns an entry of the audit, or nil for none. Called in the first transaction that deletes events, in which the
    ///   entry is written; not called if none match.
    /// - Returns: the number of deleted events.
    func delete(matching filter: RelayEventFilter, entry: @escaping @Sendable () -> RelayAuditEntry?) async throws -> Int

    /// The cursor after the newest event. Reading from it returns only new events.
    func latestCursor() async throws -> RelayEventCursor

    /// Yields an element when events of one of these clients (nil: of any) may have arrived. Several arrivals may yield one
    /// element, and an element may be spurious. Subscribe first, then read: no arrival after the call is missed. Arrivals over
    /// another relay follow within a second while ``RelayStorage/run()`` runs.
    func hints(of clients: Set<String>?) -> AsyncStream<Void>
}

extension RelayEventStorage {
    /// Deletes the matching events without an entry of the audit.
    public func delete(matching filter: RelayEventFilter) async throws -> Int {
        try await delete(matching: filter, entry: { nil })
    }
}

/// The order of events or entries in a page.
public enum RelayEventOrder: Sendable { case ascending, descending }

/// The result of storing a batch.
public struct RelayAppendResult: Sendable, Equatable {
    public var stored: Int
    public var duplicates: Int

    public init(stored: Int, duplicates: Int) {
        self.stored = stored
        self.duplicates = duplicates
    }
}

/// The stored events of a scenario.
public struct RelayScenarioSize: Sendable, Equatable {
    /// Nil for events without a scenario.
    public var scenario: String?
    public var events: Int
    /// About as they are stored, compressed.
    public var bytes: Int64
    /// When the first and the last of them are deleted because of their age, unless another limit is reached before.
    public var firstExpires, lastExpires: Date

    public init(scenario: String?, events: Int, bytes: Int64, firstExpires: Date, lastExpires: Date) {
        (self.scenario, self.events, self.bytes) = (scenario, events, bytes)
        (self.firstExpires, self.lastExpires) = (firstExpires, lastExpires)
    }
}
