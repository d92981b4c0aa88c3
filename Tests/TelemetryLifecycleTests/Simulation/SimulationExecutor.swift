@preconcurrency import Dispatch

/// Runs every task of a simulation on the main thread, in turn with the main actor's: one thread, one order.
final class SimulationExecutor: TaskExecutor {
    /// Returns after all jobs that were enqueued before. `Task.yield()` would use another thread.
    @MainActor
    func turn() async {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { @Sendable in continuation.resume() } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.main.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
