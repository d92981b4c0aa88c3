import Synchronization

/// Bounds the size of the bodies that wait to be decoded and for the storage: of all, of all hosts and of each client.
///
/// A connection counts what has arrived; this counts what that expands to.
final class WaitingBodies: Sendable {
    private struct State {
        var bytes = 0
        var shares: [RelayCaller.Owner: Int] = [:]
    }

    /// The least size that a request counts as, in bytes, which bounds their number.
    private static let least = 16 << 10
    /// The least share, in bytes: a body of the maximum size, and events of as many bytes.
    private let leastShare: Int
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: in bytes.
    ///   - body: the maximum size of a body, in bytes.
    init(limit: Int, body: Int) { (self.limit, leastShare) = (limit, 2 * body) }

    /// The size of the bodies that wait, in bytes.
    var bytes: Int { state.withLock(\.bytes) }

    /// Counts a body until it is stored.
    /// - Parameter bytes: the decompressed size of the body, or what its events take in addition.
    /// - Throws: a 503 if too many bodies wait, or too many of the caller.
    func run<Value>(_ bytes: Int = 0, for caller: RelayCaller, _ store: () async throws -> Value) async throws -> Value {
        let (bytes, owners) = (max(bytes, Self.least), caller.owners)
        try state.withLock { state in
            let hasRoom = owners.allSatisfy { state.shares[$0, default: 0] + bytes <= share(of: $0) }
            guard hasRoom, state.bytes + bytes <= max(limit, leastShare) else {
                throw Problem.unavailable("Too many requests wait for the storage.", retryAfter: 1)
            }
            state.bytes += bytes
            for owner in owners { state.shares[owner, default: 0] += bytes }
        }
        defer {
            state.withLock { state in
                state.bytes -= bytes
                for owner in owners { state.shares[owner] = state.shares[owner].flatMap { $0 > bytes ? $0 - bytes : nil } }
            }
        }
        return try await store()
    }

    private func share(of owner: RelayCaller.Owner) -> Int {
        switch owner {
        case .clientKey: max(limit / 8, leastShare)
        case .hosts: max(limit / 4 * 3, leastShare)
        case .credential, .account: max(limit, leastShare)
        }
    }
}
