import Synchronization

/// Bounds the size of the writes that wait for the storage: of all, of all hosts and of each client.
///
/// A connection counts what has arrived; this counts what that expands to.
final class WaitingWrites: Sendable {
    private struct State {
        var count = 0
        var bytes = 0
        var shares: [RelayCaller.Owner: Int] = [:]
    }

    /// The least size that a write counts as, in bytes, which bounds the number of writes.
    private static let least = 16 << 10
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: in bytes. A larger write waits alone.
    init(limit: Int) { self.limit = limit }

    /// The number of writes that wait.
    var count: Int { state.withLock(\.count) }
    /// Their size in bytes.
    var bytes: Int { state.withLock(\.bytes) }

    /// Runs a write.
    /// - Parameter bytes: the size of its decoded body.
    /// - Throws: a 503 if the storage is behind with writes, or with those of the caller.
    func run<Value>(_ bytes: Int = 0, for caller: RelayCaller, _ write: () async throws -> Value) async throws -> Value {
        let (bytes, owners) = (max(bytes, Self.least), caller.owners)
        try state.withLock { state in
            let isFull = owners.contains { Self.exceeds(share(of: $0), state.shares[$0, default: 0], bytes) }
            guard !isFull, !Self.exceeds(limit, state.bytes, bytes) else {
                throw Problem.unavailable("Too many writes wait for the storage.", retryAfter: 1)
            }
            state.count += 1
            state.bytes += bytes
            for owner in owners { state.shares[owner, default: 0] += bytes }
        }
        defer {
            state.withLock { state in
                state.count -= 1
                state.bytes -= bytes
                for owner in owners { state.shares[owner] = state.shares[owner].flatMap { $0 > bytes ? $0 - bytes : nil } }
            }
        }
        return try await write()
    }

    private static func exceeds(_ limit: Int, _ used: Int, _ bytes: Int) -> Bool { used > 0 && used + bytes > limit }

    private func share(of owner: RelayCaller.Owner) -> Int {
        switch owner {
        case .client: limit / 8
        case .hosts: limit / 4 * 3
        case .credential: limit
        }
    }
}
