public import Foundation
public import TelemetryModels

/// Pending work in user defaults, as JSON text under the key `telemetry.pendingWork`.
///
/// Text that cannot be read as pending work is moved to the key `telemetry.pendingWork.corrupt` and reported.
///
/// Where there is no daemon behind user defaults, as on Linux, a process that is killed while they are written can lose them;
/// ``FileTelemetryPendingWorkStore`` is the better choice there.
public actor UserDefaultsTelemetryPendingWorkStore: TelemetryPendingWorkStoring {
    private let stored: PendingWorkDefaults

    /// - Parameters:
    ///   - userDefaults: Where the work is. Outside Apple's systems it cannot be used elsewhere afterwards, because it is
    ///     not `Sendable` there; name the suite instead to share it.
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

    /// The stored work; empty where there is none.
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

/// The pending work is in the settings' suite.
extension UserDefaultsTelemetrySettingsStore: TelemetryPendingWorkStoring {
    /// What is stored under `telemetry.pendingWork`; empty where there is nothing.
    public func loadPendingWork() async -> TelemetryPendingWork { await PendingWorkDefaults(shared: shared).load() }

    /// Changes the pending work beside the settings as one step, also between processes, and returns the result.
    @discardableResult
    public func updatePendingWork(
        _ transform: @Sendable (inout TelemetryPendingWork) -> Void
    ) async -> TelemetryPendingWork {
        await PendingWorkDefaults(shared: shared).update(transform)
    }

    /// Removes the pending work; the settings stay.
    public func removePendingWork() async { await PendingWorkDefaults(shared: shared).remove() }
}
