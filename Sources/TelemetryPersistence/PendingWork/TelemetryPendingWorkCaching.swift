package import TelemetryModels

/// A store of pending work that reads only where something may have changed, and knows whether it could write.
package protocol TelemetryPendingWorkCaching: TelemetryPendingWorkStoring {
    /// What ``TelemetryPendingWorkStoring/loadPendingWork()`` returns.
    func currentPendingWork() async -> TelemetryPendingWork
    /// Whether all of it outlives the process. Otherwise the store keeps it as long as it lives, and writes it when it can.
    var isPendingWorkSaved: Bool { get async }
}
