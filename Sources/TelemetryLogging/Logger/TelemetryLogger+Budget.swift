package import Foundation
import Synchronization

/// Budgets: the task that ends suspensions and reports them.
extension TelemetryLogger: TelemetryBudgeting {
    package nonisolated func limit(
        to budget: ScenarioBudget?, onSuspension: @escaping @Sendable (_ suspensions: [String: Date]) async -> Void
    ) {
        self.onSuspension.withLock { $0 = budget == nil ? nil : onSuspension }
        gate.limit(to: budget)
    }

    package nonisolated func withholdBudgetReports(of scenarios: Set<String>) {
        gate.budgets.withholdReports(of: scenarios)
    }

    /// Limits how much each scenario records, as the lifecycle service does by the policy's budget. Called before activation.
    @_spi(Tooling)
    public nonisolated func limitScenarios(toEvents events: Int, bytes: Int?, per period: Duration) {
        limit(to: ScenarioBudget(events: events, bytes: bytes, per: period)) { _ in }
    }

    /// Starts the task that ends suspensions, if there is a budget. ``stopSuspensionTask()`` ends it.
    func startSuspensionTask() {
        guard suspensionTask == nil, let onSuspension = onSuspension.withLock(\.self) else { return }
        let changes = gate.budgets.changes
        let clock = time.clock
        // Weak, so that the task does not keep a logger that its host released.
        suspensionTask = Task { [weak self] in
            var shown: [String: Date] = [:]
            while !Task.isCancelled {
                changes.reset()
                guard let (suspensions, wait) = await self?.endSuspensionsThatAreOver() else { return }
                if suspensions != shown { await onSuspension(suspensions) }
                shown = suspensions
                if let wait { _ = await changes.wait(for: wait, on: clock) } else { await changes.wait() }
            }
            if !shown.isEmpty { await onSuspension([:]) }
        }
    }

    /// Ends the task, and returns when it has ended. Without the task a suspension ends with the first event after its period.
    func stopSuspensionTask() async {
        guard let task = suspensionTask else { return }
        suspensionTask = nil
        suspensionDeadlines = SuspensionDeadlines()
        task.cancel()
        await task.value
    }

    /// Reports the events that were not recorded so far, because recording is about to end. No event of a scenario is recorded
    /// from now on.
    func reportSuppressed() {
        gate.setOpen(false)
        gate.budgets.reportSuppressed()
        capture.recordBudgetReports()
    }

    /// - Returns: The dates at which the suspended scenarios record again, and how long until the first one does.
    private func endSuspensionsThatAreOver() -> (suspensions: [String: Date], wait: Duration?) {
        let budgets = gate.budgets
        let (over, wait) = suspensionDeadlines.update(budgets.suspensions, at: budgets.now(), elapsed: time.elapsed())
        budgets.end(over)
        capture.recordBudgetReports()
        return (budgets.suspensions.mapValues { Date(timeIntervalSinceReferenceDate: $0.end) }, wait)
    }
}
