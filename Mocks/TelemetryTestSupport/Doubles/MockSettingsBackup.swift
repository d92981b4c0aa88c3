public import TelemetryModels
public import TelemetryPersistence

/// A settings backup in memory that records its calls, and fails when a test scripts it to.
public actor MockSettingsBackup: TelemetrySettingsBackingUp {
    /// A call, with its argument.
    public enum Call: Sendable, Equatable {
        /// A call of `saveSettings(_:)` or `saveSettings(_:pendingWork:)`.
        case save(TelemetrySettings)
        /// A call of `loadSettings()`.
        case load
        /// A call of `clearSettings()`.
        case clear
    }

    /// The settings in the backup; nil if there are none.
    public private(set) var settings: TelemetrySettings?
    /// The pending work in the backup.
    public private(set) var pendingWork = TelemetryPendingWork()
    private var error: (any Error)?
    private nonisolated let log = CallLog<Call>()

    /// Creates a backup with these settings, or an empty one.
    public init(settings: TelemetrySettings? = nil) { self.settings = settings }

    /// Every call so far, in order.
    public nonisolated var calls: [Call] { log.calls }

    /// Returns once the call has been made, or the calling task is cancelled.
    public nonisolated func called(_ call: Call) async { await log.wait { $0.contains(call) } }

    /// From now on every call throws the error; nil lets them succeed again.
    public func fail(with error: (any Error)?) { self.error = error }

    public func saveSettings(_ settings: TelemetrySettings) async throws {
        try await saveSettings(settings, pendingWork: TelemetryPendingWork())
    }

    public func saveSettings(_ settings: TelemetrySettings, pendingWork: TelemetryPendingWork) async throws {
        log.append(.save(settings))
        if let error { throw error }
        self.settings = settings
        self.pendingWork = pendingWork
    }

    public func loadSettings() async throws -> TelemetrySettings? {
        log.append(.load)
        if let error { throw error }
        return settings
    }

    public func loadPendingWork() async throws -> TelemetryPendingWork {
        if let error { throw error }
        return pendingWork
    }

    public func clearSettings() async throws {
        log.append(.clear)
        if let error { throw error }
        settings = nil
        pendingWork = TelemetryPendingWork()
    }
}
