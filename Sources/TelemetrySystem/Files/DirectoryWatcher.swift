import Synchronization
package import TelemetryModels

/// Hints of changes in a directory: immediately if the system reports them, and at intervals in any case.
package final class DirectoryWatcher: Sendable {
    /// Hints are merged: an element stands for any number of changes, possibly none.
    package let changes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let path: String
    private let writtenFile: @Sendable ([String]) -> String?
    private let watch: Mutex<Watch?>
    private let polling = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter writtenFile: Chooses, from the names in the directory, the file that is written to. Some systems report writes
    ///   to a file only if it is watched itself.
    package init(
        path: String, writtenFile: @escaping @Sendable ([String]) -> String?, interval: Duration,
        diagnostics: TelemetryDiagnosticsHandler?
    ) {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.changes = changes
        self.continuation = continuation
        self.path = path
        self.writtenFile = writtenFile
        let first = Watch(path: path, writtenFile: writtenFile) { continuation.yield() }
        if first == nil {
            diagnostics?(
                .init(kind: .storageFailed, message: "\(path) cannot be watched; polling every \(interval) instead."))
        }
        watch = Mutex(first)
        // Covers changes from before the watch began.
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

    /// Watches the directory at the path again if it was replaced.
    private func renew() {
        let continuation = continuation
        watch.withLock { watch in
            if watch?.renew() != true { watch = Watch(path: path, writtenFile: writtenFile) { continuation.yield() } }
        }
    }
}
