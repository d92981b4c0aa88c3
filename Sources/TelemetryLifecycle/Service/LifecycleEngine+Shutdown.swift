import TelemetryLogging
import TelemetryPersistence

/// Shutdown.
extension LifecycleEngine {
    /// Ends background work, waits for the operations that were called before and shuts the logger down, all within one time
    /// limit.
    ///
    /// Work that does not end in time continues, owned by the queue, and is not awaited.
    func shutDown() async {
        let limit = configuration.operationTimeout.bounded
        // The other half of the time is for the logger, to deliver waiting events.
        beginShutdown(operationsUntil: Deadline(in: limit / 2, on: configuration.clock))
        let deadline = Deadline(in: limit, on: configuration.clock)
        let shutdown = BoundedCalls(executor: configuration.executor)
        shutdown.begin(deadline)
        _ = try? await shutdown.call(.nothing) { await self.finish(by: deadline) }
        shutdown.begin(nil)
        state.end()
        // The next service in this process can take the same instance.
        instance?.release()
    }

    private func finish(by deadline: Deadline) async {
        let logger = logger.logger
        await inTurn(deadline) {
            self.state.end()
            // In the queue, because the end of another operation would remove its time limit. The logger still has to refuse
            // events if the time is up.
            self.calls.begin(deadline.hasPassed() ? nil : deadline)
            _ = try? await self.calls.call(.nothing) { await logger.shutdown() }
            self.calls.begin(nil)
        }
        await background.end()
        await leaseTimer?.task.end()
        leaseTimer = nil
    }
}
