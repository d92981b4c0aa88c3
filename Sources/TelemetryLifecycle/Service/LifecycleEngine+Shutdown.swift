import TelemetryLogging
import TelemetryPersistence

/// The end.
extension LifecycleEngine {
    /// Ends what goes on by itself, waits for what was asked for and shuts the logger down, all within one time limit.
    ///
    /// What does not end in time goes on, owned by the queue, without anybody waiting for it.
    func shutDown() async {
        let limit = configuration.operationTimeout.bounded
        // The other half is the logger's, for what waits to be delivered.
        beginShutdown(operationsUntil: Deadline(in: limit / 2, on: configuration.clock))
        let deadline = Deadline(in: limit, on: configuration.clock)
        let shutdown = BoundedCalls(executor: configuration.executor)
        shutdown.begin(deadline)
        _ = try? await shutdown.call(.nothing) { await self.finish(by: deadline) }
        shutdown.begin(nil)
        state.end()
        // The next service of this process is the same instance.
        instance?.release()
    }

    private func finish(by deadline: Deadline) async {
        let logger = logger.logger
        await inTurn(deadline) {
            self.state.end()
            // In its turn, or the end of another operation would end its time limit. A logger whose time is up already still
            // has to refuse events.
            self.calls.begin(deadline.hasPassed() ? nil : deadline)
            _ = try? await self.calls.call(.nothing) { await logger.shutdown() }
            self.calls.begin(nil)
        }
        await background.end()
        await leaseTimer?.task.end()
        leaseTimer = nil
    }
}
