public import TelemetryModels

/// Pending work that ends with the store, for tests and previews.
public actor InMemoryTelemetryPendingWorkStore: TelemetryPendingWorkStoring {
    private var work = TelemetryPendingWork()

    /// Creates a store without any work.
    public init() {}

    /// The work, as it was changed last.
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
