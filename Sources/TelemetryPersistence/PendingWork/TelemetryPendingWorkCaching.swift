package import TelemetryModels

/// A store of pending work that reads only if something may have changed, and reports whether it could write.
package protocol TelemetryPendingWorkCaching: TelemetryPendingWorkStoring {
    /// Returns the same as ``TelemetryPendingWorkStoring/loadPendingWork()``.
    func currentPendingWork() async -> TelemetryPendingWork
    /// Whether all of the work is written. Otherwise the store keeps it in memory and writes it when it can.
    var isPendingWorkSaved: Bool { get async }
}
