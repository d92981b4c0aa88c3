import Synchronization
import TelemetryModels
import TelemetrySystem

/// Follows the journal while its streams have consumers, and notifies them.
final class JournalFollower: Sendable {
    private let layout: StoreLayout
    private let system: FileSystem
    private let configuration: FileTelemetryTransport.Configuration
    private let notificationStreams = StreamBroadcaster<TelemetryNotification>(buffering: .unbounded)
    private let arrivalStreams = StreamBroadcaster<Void>(buffering: .bufferingNewest(1))
    private let following = Mutex<Task<Void, Never>?>(nil)

    init(layout: StoreLayout, system: FileSystem, configuration: FileTelemetryTransport.Configuration) {
        self.layout = layout
        self.system = system
        self.configuration = configuration
    }

    deinit { stop() }

    func notifications() -> AsyncStream<TelemetryNotification> {
        defer { follow() }
        return notificationStreams.stream()
    }

    func arrivals() -> AsyncStream<Void> {
        defer { follow() }
        return arrivalStreams.stream()
    }

    /// Stops following and ends every stream.
    func stop() {
        following.withLock { task in
            task?.cancel()
            task = nil
        }
        notificationStreams.finish()
        arrivalStreams.finish()
    }

    private var hasConsumers: Bool { notificationStreams.hasConsumers || arrivalStreams.hasConsumers }

    /// Starts to follow the journal from its end, unless already started.
    private func follow() {
        // A handler may call this follower: it is called after the lock is released.
        let held = DeferredDiagnostics(handler: configuration.diagnostics)
        defer { held.release() }
        var configuration = configuration
        configuration.diagnostics = held.report
        following.withLock { task in
            guard task == nil else { return }
            // Started before the journal's end is determined, so that every later write causes a hint.
            let watcher = DirectoryWatcher(
                path: layout.journal, writtenFile: StoreLayout.newestJournalFile, interval: configuration.pollInterval,
                diagnostics: configuration.diagnostics)
            let reader = ChangeReader(layout: layout, system: system, configuration: configuration)
            let (clock, interval) = (system.clock, configuration.pollInterval)
            task = Task { [weak self] in
                for await _ in watcher.changes {
                    guard await Self.forEachChange(reader, clock, interval, { self?.deliver($0) ?? false }) else { break }
                }
                watcher.stop()
            }
        }
    }

    /// Reads until no change is in progress. Returns false if `deliver` returned false.
    private static func forEachChange(
        _ reader: ChangeReader, _ clock: any Clock<Duration>, _ interval: Duration,
        _ deliver: (ChangeReader.Changes) -> Bool
    ) async -> Bool {
        var delay = Duration.microseconds(50)
        while true {
            let changes = reader.changes()
            guard deliver(changes) else { return false }
            guard changes.isIncomplete else { return true }
            // After cancellation, the caller's loop ends with the watcher's stream.
            do { try await clock.sleep(for: delay) } catch { return true }
            delay = min(delay * 2, interval)
        }
    }

    /// Returns false if there are no consumers any more, which ends the following.
    private func deliver(_ changes: ChangeReader.Changes) -> Bool {
        for notification in changes.notifications { notificationStreams.yield(notification) }
        if changes.hasEvents { arrivalStreams.yield(()) }
        return following.withLock { task in
            if hasConsumers { return true }
            task = nil
            return false
        }
    }
}
