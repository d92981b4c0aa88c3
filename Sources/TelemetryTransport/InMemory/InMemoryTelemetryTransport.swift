public import TelemetryModels
import TelemetryStorage

/// A store in memory, for tests, previews and hosts that are their own viewer. Ends with the last reference to it.
///
/// It is unbounded: it keeps every event until it is deleted, and the identifiers of deleted ones, so that none comes back by
/// being sent again.
public actor InMemoryTelemetryTransport: TelemetryTransporting {
    /// Events with their positions, oldest first; a position is never used again.
    var stored: [(position: UInt64, event: TelemetryEvent)] = []
    var knownEventIds: Set<String> = []
    var nextPosition: UInt64 = 1
    var records: [TelemetryRecord.ID: TelemetryRecord] = [:]
    var savedVersions: UInt64 = 0
    var subscriptions: [TelemetrySubscription.ID: TelemetrySubscription] = [:]
    package nonisolated let notificationStreams = StreamBroadcaster<TelemetryNotification>(buffering: .unbounded)
    package nonisolated let arrivalStreams = StreamBroadcaster<Void>(buffering: .bufferingNewest(1))

    /// Creates an empty store.
    public init() {}

    /// Always true: there is nothing that could be out of reach.
    public func validateSchema() async -> Bool { true }

    public func debugInfo() async -> DebugInfo { await debugInfo(containerID: "memory", environment: "in memory") }
}
