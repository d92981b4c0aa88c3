public import TelemetryModels

/// Settings and pending work in memory, for tests and previews.
public actor InMemoryTelemetrySettingsStore: TelemetrySettingsStoring, TelemetryPendingWorkStoring {
    private var settings = TelemetrySettings.defaults
    private var work = TelemetryPendingWork()

    /// Creates a store that holds the default settings.
    public init() {}

    public func load() async -> TelemetrySettings { settings }

    @discardableResult
    public func save(_ settings: TelemetrySettings) async -> TelemetrySettings {
        self.settings = settings
        return settings
    }

    @discardableResult
    public func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        transform(&settings)
        return settings
    }

    public nonisolated var recordsOptOuts: Bool { true }

    public func recordOptOut(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> Bool {
        transform(&settings)
        return true
    }

    @discardableResult
    public func reset() async -> TelemetrySettings {
        settings = .defaults
        return settings
    }

    // MARK: Pending work

    /// Returns the pending work.
    public func loadPendingWork() async -> TelemetryPendingWork { work }

    /// Changes the pending work and returns the result.
    @discardableResult
    public func updatePendingWork(
        _ transform: @Sendable (inout TelemetryPendingWork) -> Void
    ) async -> TelemetryPendingWork {
        transform(&work)
        return work
    }

    /// Removes the pending work and keeps the settings.
    public func removePendingWork() async { work = TelemetryPendingWork() }
}
