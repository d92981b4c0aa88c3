import Logging
import ServiceLifecycle

/// Runs the frequent steps, such as looking for changes by other relays of the same store, at the poll interval, and maintains the store
/// every minute.
struct StorageSteps: Sendable {
    /// A step that fails does not prevent the others.
    struct Step: Sendable {
        /// Logged if it fails.
        let failure: String
        let run: @Sendable () async throws -> Void
    }

    private static let maintenanceInterval: Duration = .seconds(60)

    let configuration: RelayStorageConfiguration
    let frequent: [Step]
    /// As frequent, but steps that may take long.
    var background: [Step] = []
    let maintenance: [Step]

    /// Works until the task is cancelled or a graceful shutdown begins. Background steps and maintenance that
    /// take long do not delay the frequent steps.
    func run() async {
        await withTaskGroup { group in
            group.addTask { await every(configuration.pollInterval, frequent) }
            if !background.isEmpty { group.addTask { await every(configuration.pollInterval, background) } }
            group.addTask { await every(Self.maintenanceInterval, maintenance) }
        }
    }

    private func every(_ interval: Duration, _ steps: [Step]) async {
        var failures: [String: String] = [:]
        while await sleep(for: interval) {
            for step in steps { failures[step.failure] = await attempt(step, after: failures[step.failure]) }
        }
    }

    /// - Returns: false if the work should end.
    private func sleep(for interval: Duration) async -> Bool {
        let slept: Void? = try? await cancelWhenGracefulShutdown { try await configuration.clock.sleep(for: interval) }
        return slept != nil
    }

    /// Runs a step. Logs a failure, unless it is that of the last time; the next round tries again.
    /// - Returns: the error; nil if the step succeeded.
    @discardableResult
    func attempt(_ step: Step, after last: String? = nil) async -> String? {
        do {
            try await step.run()
            return nil
        } catch is CancellationError {
            return last
        } catch {
            if "\(error)" != last { configuration.logger.error("\(step.failure)", metadata: ["error": "\(error)"]) }
            return "\(error)"
        }
    }
}
