public import TelemetryModels

/// Keeps a client's settings across restarts.
///
/// Four requirements have no default: reading, replacing, changing and resetting the settings. The others are what a store may do
/// better. The methods do not throw: a store that cannot be read returns ``TelemetryModels/TelemetrySettings/defaults``, and one that
/// cannot be written uses the settings in memory; a diagnostics handler receives both.
///
/// The package's stores also keep the number of opt-outs, and pending work that its own store could not write. With any other store,
/// an opt-in that one process has begun can take effect after an opt-out in another, and such work is lost with the process.
public protocol TelemetrySettingsStoring: Sendable {
    /// Returns the stored settings, or the defaults if there are none.
    func load() async -> TelemetrySettings

    /// Replaces the settings and returns them.
    @discardableResult
    func save(_ settings: TelemetrySettings) async -> TelemetrySettings

    /// Changes the settings atomically across processes and returns the result.
    @discardableResult
    func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings

    /// Resets the settings to the defaults and returns them.
    @discardableResult
    func reset() async -> TelemetrySettings

    /// Returns the same as ``load()``, called before each delivery of events: a store should read only if the settings may have
    /// changed. The default calls ``load()``.
    func current() async -> TelemetrySettings

    /// Changes the settings like ``update(_:)``. If they cannot be written, the opt-out is recorded elsewhere, where the store finds
    /// it later. The default calls ``update(_:)`` and ``load()``.
    /// - Returns: Whether the opt-out outlives the process. Otherwise the store keeps it in memory.
    func recordOptOut(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> Bool

    /// The store that keeps the client's pending work where these settings are; nil for the platform's default. The default is this
    /// store if it is a ``TelemetryPendingWorkStoring``, and otherwise nil.
    var pendingWorkStore: (any TelemetryPendingWorkStoring)? { get }

    // MARK: Use by several processes

    /// Records for other processes that this one uses the client, until ``endUse(of:)`` or the end of the process: who opts out
    /// elsewhere leaves it to this process to delete what it stores. The default records nothing.
    func beginUse(of clientId: String) async

    /// Records that this process no longer stores data of the client.
    func endUse(of clientId: String) async

    /// Whether another process uses the client. The default is false.
    func isUsedElsewhere(_ clientId: String) async -> Bool
}

extension TelemetrySettingsStoring {
    public func current() async -> TelemetrySettings { await load() }

    public func recordOptOut(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> Bool {
        await update(transform)
        return await !load().telemetryRequested
    }

    public var pendingWorkStore: (any TelemetryPendingWorkStoring)? { nil }

    public func beginUse(of clientId: String) async {}

    public func endUse(of clientId: String) async {}

    public func isUsedElsewhere(_ clientId: String) async -> Bool { false }
}

extension TelemetrySettingsStoring where Self: TelemetryPendingWorkStoring {
    public var pendingWorkStore: (any TelemetryPendingWorkStoring)? { self }
}
