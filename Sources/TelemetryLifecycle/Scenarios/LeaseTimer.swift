#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Waits for the first lease to end.
@MainActor
final class LeaseTimer {
    private let configuration: TelemetryLifecycleService.Configuration
    private let onEnd: @MainActor () -> Void
    private var current: (end: Date, task: OwnedTask)?

    /// - Parameter onEnd: Called when the lease ends, or earlier: setting the clock forward ends a lease early.
    init(_ configuration: TelemetryLifecycleService.Configuration, onEnd: @escaping @MainActor () -> Void) {
        self.configuration = configuration
        self.onEnd = onEnd
    }

    /// Waits for this date; nil stops waiting.
    func wait(for end: Date?) {
        guard end != current?.end else { return }
        current = end.map { end in
            let (clock, date) = (configuration.clock, configuration.date)
            let task = Task(executorPreference: configuration.executor) { [weak self] in
                // At most 15 minutes at a time, in case the clock is set.
                let seconds = min(max(end.timeIntervalSince(date()), 0), 900)
                do { try await clock.sleep(for: .seconds(seconds)) } catch { return }
                await self?.fire()
            }
            return (end: end, task: OwnedTask(task))
        }
    }

    /// Stops waiting, and returns when the task has ended.
    func end() async {
        await current?.task.end()
        current = nil
    }

    private func fire() {
        current = nil
        onEnd()
    }
}
