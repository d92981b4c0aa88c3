import NIOCore
import Synchronization

/// An open connection.
final class Connection: Sendable {
    let channel: any Channel
    /// The network that it is counted against; nil if networks are not counted.
    let network: String?
    private let state: Mutex<ConnectionState>

    init(channel: any Channel, network: String?, now: Duration) {
        self.channel = channel
        self.network = network
        state = Mutex(ConnectionState(now: now))
    }

    /// - Returns: the change of the number of bytes that it holds.
    func update(_ body: (inout ConnectionState) -> Void) -> Int {
        state.withLock { state in
            let before = state.heldBytes
            body(&state)
            return state.heldBytes - before
        }
    }

    /// Since when it waits for its peer; nil if it waits for the relay.
    var waitsSince: Duration? { state.withLock { $0.wait == nil ? nil : $0.waitsSince } }

    var heldBytes: Int { state.withLock(\.heldBytes) }

    /// The wait that has taken too long.
    func overdue(at now: Duration) -> ConnectionState.Wait? { state.withLock { $0.isOverdue(at: now) ? $0.wait : nil } }
}
