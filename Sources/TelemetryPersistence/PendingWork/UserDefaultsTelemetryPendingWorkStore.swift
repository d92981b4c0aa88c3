public import Foundation
public import TelemetryModels

/// Pending work in user defaults, as JSON text under the key `telemetry.pendingWork`.
///
/// Invalid text is moved to the key `telemetry.pendingWork.corrupt` and reported.
///
/// On systems without a user defaults daemon, such as Linux, a process that is killed while it writes can lose them; use
/// ``FileTelemetryPendingWorkStore`` there.
public actor UserDefaultsTelemetryPendingWorkStore: TelemetryPendingWorkStoring {
    private let stored: PendingWorkDefaults

    /// - Parameters:
    ///   - userDefaults: The user defaults of the work. They may not be `Sendable`: do not use the object elsewhere
    ///     afterwards. To share the suite, pass its name instead.
    ///   - diagnostics: Receives values that cannot be read as pending work.
    public init(userDefaults: UserDefaults = .standard, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        stored = PendingWorkDefaults(shared: SharedUserDefaults(defaults: userDefaults, diagnostics: diagnostics))
    }

    /// - Parameters:
    ///   - suiteName: The suite of user defaults; nil for the standard ones.
    ///   - diagnostics: Receives values that cannot be read as pending work.
    public init(suiteName: String?, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        stored = PendingWorkDefaults(
            shared: SharedUserDefaults(defaults: SharedUserDefaults.suite(suiteName), diagnostics: diagnostics))
    }

    /// Returns the stored work; empty if there is none.
    public func loadPendingWork() async -> TelemetryPendingWork { await stored.load() }

    /// Changes the stored work under a lock that processes share, and returns the result.
    @discardableResult
    public func updatePendingWork(
        _ transform: @Sendable (inout TelemetryPendingWork) -> Void
    ) async -> TelemetryPendingWork {
        await stored.update(transform)
    }

    /// Removes the key.
    public func removePendingWork() async { await stored.remove() }
}

/// Keeps the pending work in the settings' suite.
extension UserDefaultsTelemetrySettingsStore: TelemetryPendingWorkStoring {
    /// Returns the work stored under `telemetry.pendingWork`; empty if there is none.
    public func loadPendingWork() async -> TelemetryPendingWork { await PendingWorkDefaults(shared: shared).load() }

    /// Changes the pending work next to the settings atomically across processes and returns the result.
    @discardableResult
    public func updatePendingWork(
        _ transform: @Sendable (inout TelemetryPendingWork) -> Void
    ) async -> TelemetryPendingWork {
        await PendingWorkDefaults(shared: shared).update(transform)
    }

    /// Removes the pending work and keeps the settings.
    public func removePendingWork() async { await PendingWorkDefaults(shared: shared).remove() }
}
