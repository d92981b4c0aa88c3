import Foundation

/// The task that ends suspensions of scenarios and reports them. Without it a suspension ends with the first event after its period.
///
/// It does not run on the logger's actor: what it uses is guarded by the locks of the budgets and of the capture.
final class SuspensionWatch {
    private let budgets: ScenarioBudgets
    private let capture: EventCapture
    private let time: MonotonicTime
    private var task: Task<Void, Never>?

    init(budgets: ScenarioBudgets, capture: EventCapture, time: MonotonicTime) {
        self.budgets = budgets
        self.capture = capture
        self.time = time
    }

    deinit { task?.cancel() }

    /// Starts the task unless it runs.
    func start(_ onSuspension: @escaping @Sendable ([String: Date]) async -> Void) {
        guard task == nil else { return }
        task = Task { [budgets, capture, time] in
            var deadlines = SuspensionDeadlines()
            var shown: [String: Date] = [:]
            while !Task.isCancelled {
                budgets.changes.reset()
                let (over, wait) = deadlines.update(budgets.suspensions, at: budgets.now(), elapsed: time.elapsed())
                budgets.end(over)
                capture.recordBudgetReports()
                let suspensions = budgets.suspensions.mapValues { Date(timeIntervalSinceReferenceDate: $0.end) }
                if suspensions != shown { await onSuspension(suspensions) }
                shown = suspensions
                if let wait { _ = await budgets.changes.wait(for: wait, on: time.clock) } else { await budgets.changes.wait() }
            }
            if !shown.isEmpty { await onSuspension([:]) }
        }
    }

    /// Cancels the task, and returns it if it ran.
    func end() -> Task<Void, Never>? {
        defer { task = nil }
        task?.cancel()
        return task
    }
}
