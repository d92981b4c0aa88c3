@preconcurrency import Dispatch
import Synchronization
import TelemetryModels

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Hints that something changed in a directory: at once where the system tells, and at intervals in any case.
final class DirectoryWatcher: Sendable {
    /// Merged: an element tells of at least one change, perhaps of none.
    let changes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let source: Mutex<(any DispatchSourceProtocol)?>
    private let polling: Task<Void, Never>

    init(path: String, interval: Duration, diagnostics: TelemetryDiagnosticsHandler?) {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.changes = changes
        self.continuation = continuation
        let source = Self.source(watching: path) { continuation.yield() }
        if source == nil {
            diagnostics?(
                .init(kind: .storageFailed, message: "\(path) cannot be watched; it is looked at every \(interval)."))
        }
        self.source = Mutex(source)
        polling = Task {
            for await _ in AsyncStream<Void>.ticks(every: interval, clock: ContinuousClock()) { continuation.yield() }
        }
    }

    deinit { stop() }

    func stop() {
        source.withLock { source in
            source?.cancel()
            source = nil
        }
        polling.cancel()
        continuation.finish()
    }

    #if canImport(Darwin)
    private static func source(
        watching path: String, _ changed: @escaping @Sendable () -> Void
    ) -> (any DispatchSourceProtocol)? {
        let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib, .delete, .rename])
        source.setEventHandler { @Sendable in changed() }
        source.setCancelHandler { @Sendable in _ = close(descriptor) }
        source.resume()
        return source
    }
    #else
    private static func source(
        watching path: String, _ changed: @escaping @Sendable () -> Void
    ) -> (any DispatchSourceProtocol)? {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let mask = UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF)
        guard inotify_add_watch(descriptor, path, mask) >= 0 else {
            _ = close(descriptor)
            return nil
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        source.setEventHandler { @Sendable in
            // What changed the journal itself tells; the queue is only emptied.
            withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
                while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
            }
            changed()
        }
        source.setCancelHandler { @Sendable in _ = close(descriptor) }
        source.resume()
        return source
    }
    #endif
}
