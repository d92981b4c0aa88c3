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
    let maintenance: [Step]

    /// Works until the task is cancelled or a graceful shutdown begins. Maintenance that takes long does not delay the frequent steps.
    func run() async {
        await withTaskGroup { group in
            group.addTask { await every(configuration.pollInterval, frequent) }
            group.addTask { await every(Self.maintenanceInterval, maintenance) }
        }
    }

    private func every(_ interval: Duration, _ steps: [Step]) async {
        while await sleep(for: interval) {
            for step in steps { await attempt(step) }
        }
    }

    /// - Returns: false if the work should end.
    private func sleep(for interval: Duration) async -> Bool {
        let slept: Void? = try? await cancelWhenGracefulShutdown { try await configuration.clock.sleep(for: interval) }
        return slept != nil
    }

    /// Logs a failure; the next round tries again.
    func attempt(_ step: Step) async {
        do {
            try await step.run()
        } catch {
            configuration.logger.error("\(step.failure)", metadata: ["error": "\(error)"])
        }
    }
}
