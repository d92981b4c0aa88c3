import TelemetryTransport

/// What goes on by itself while telemetry is requested: following the store's notifications, and looking again now and then.
@MainActor
final class BackgroundWork {
    private let tasks: [OwnedTask]

    /// - Parameters:
    ///   - notifications: The store's notifications.
    ///   - interval: How often to look again; nil for never. Each pause is drawn anew between 80 % and 120 % of it, so that
    ///     many clients do not ask at the same moment.
    init(
        notifications: AsyncStream<TelemetryNotification>, interval: Duration?, clock: any Clock<Duration>,
        random: @escaping @Sendable () -> Double, executor: (any TaskExecutor)?,
        onNotification: @escaping @MainActor (TelemetryNotification) async -> Void, onInterval: @escaping @MainActor () -> Void
    ) {
        var tasks = [
            OwnedTask(
                Task(executorPreference: executor) {
                    for await notification in notifications { await onNotification(notification) }
                })
        ]
        if let interval {
            tasks.append(
                OwnedTask(
                    Task(executorPreference: executor) {
                        while !Task.isCancelled {
                            do { try await clock.sleep(for: interval * (0.8 + 0.4 * random())) } catch { return }
                            await onInterval()
                        }
                    }))
        }
        self.tasks = tasks
    }

    /// Returns when nothing goes on any more.
    func end() async {
        for task in tasks { await task.end() }
    }
}
