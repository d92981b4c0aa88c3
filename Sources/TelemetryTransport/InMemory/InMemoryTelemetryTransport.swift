public import TelemetryModels

/// A store in memory, for tests, previews and hosts that are their own viewer. Ends with the last reference to it.
///
/// The store is unbounded: it keeps every event until it is deleted. It also keeps the identifiers of deleted events, so that an
/// event that is sent again is not stored again.
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

    /// Always true.
    public func validateSchema() async -> Bool { true }

    public func debugInfo() async -> DebugInfo { await debugInfo(containerID: "memory", environment: "in memory") }
}
