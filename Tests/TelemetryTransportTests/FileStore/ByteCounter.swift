import Synchronization

/// Counts the reads of files whose path contains a text, and their bytes.
final class ByteCounter: Sendable {
    private let state = Mutex((count: 0, bytes: 0))

    var count: Int { state.withLock { $0.count } }
    var bytes: Int { state.withLock { $0.bytes } }

    func add(_ path: String, _ byteCount: Int = 0) {
        state.withLock { state in
            state.count += 1
            state.bytes += byteCount
        }
    }

    func reset() { state.withLock { $0 = (0, 0) } }
}
