public import TelemetryModels

/// Pending work in memory, for tests and previews.
public actor InMemoryTelemetryPendingWorkStore: TelemetryPendingWorkStoring {
    private var work = TelemetryPendingWork()

    /// Creates a store without any work.
    public init() {}

    /// Returns the work.
    public func loadPendingWork() async -> TelemetryPendingWork { work }

    /// Changes the work and returns the result.
    @discardableResult
    public func updatePendingWork(
        _ transform: @Sendable (inout TelemetryPendingWork) -> Void
    ) async -> TelemetryPendingWork {
        transform(&work)
        return work
    }

    /// Removes the work.
    public func removePendingWork() async { work = TelemetryPendingWork() }
}
