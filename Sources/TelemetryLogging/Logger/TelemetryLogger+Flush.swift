extension TelemetryLogger {
    /// Returns when all events logged before the call, on any thread, are with the transport or kept for a later attempt.
    ///
    /// Delivery starts immediately, also during a backoff; overlapping calls share a delivery. Before activation events are held,
    /// and the call returns immediately. It waits as long as the transport takes; cancelling the calling task ends the wait, not
    /// the delivery.
    public func flush() async {
        guard pump != nil else { return }
        gate.budgets.endPastSuspensions()
        capture.recordBudgetReports()
        // Entered before the first suspension, so that a pump that ends meanwhile also resumes this caller.
        let id = flushes.enter()
        capture.wakeUp.signal()
        await flushes.wait(id)
    }
}
