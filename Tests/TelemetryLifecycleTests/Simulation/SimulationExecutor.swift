@preconcurrency import Dispatch

/// Runs every task of a simulation on the main thread, in turn with the main actor's: one thread, one order.
final class SimulationExecutor: TaskExecutor {
    /// Returns when everything has had its turn that was waiting for one. Not `Task.yield()`, whose way leads over another
    /// thread.
    @MainActor
    func turn() async {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { @Sendable in continuation.resume() } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.main.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
