import Synchronization
package import TelemetryModels

/// Hints that something changed in a directory: at once where the system tells, and at intervals in any case.
package final class DirectoryWatcher: Sendable {
    /// Merged: an element tells of at least one change, perhaps of none.
    package let changes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let path: String
    private let watch: Mutex<Watch?>
    private let polling = Mutex<Task<Void, Never>?>(nil)

    package init(path: String, interval: Duration, diagnostics: TelemetryDiagnosticsHandler?) {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.changes = changes
        self.continuation = continuation
        self.path = path
        let first = Watch(path: path) { continuation.yield() }
        if first == nil {
            diagnostics?(
                .init(kind: .storageFailed, message: "\(path) cannot be watched; it is looked at every \(interval)."))
        }
        watch = Mutex(first)
        // What happened before the watch began is looked at now.
        continuation.yield()
        let ticks = AsyncStream<Void>.ticks(every: interval, clock: ContinuousClock())
        let task = Task { [weak self] in
            for await _ in ticks {
                guard let self else { return }
                self.renew()
                continuation.yield()
            }
        }
        polling.withLock { $0 = task }
    }

    deinit { stop() }

    package func stop() {
        watch.withLock { $0 = nil }
        polling.withLock { $0?.cancel() }
        continuation.finish()
    }

    /// Watches what has the path now, should it be something else than before.
    private func renew() {
        let continuation = continuation
        watch.withLock { watch in
            if watch?.renew() != true { watch = Watch(path: path) { continuation.yield() } }
        }
    }
}
