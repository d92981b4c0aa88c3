import Foundation
import Synchronization

/// Which clients made requests, while there are alerts about silence.
final class ClientSightings: Sendable {
    private struct State {
        var isNeeded = false
        /// The ``NameKey``s of the clients.
        var clients: Set<Data> = []
    }

    private let open: @Sendable () -> Set<Data>
    private let state = Mutex(State())

    /// - Parameter open: returns the keys of the clients with open streams.
    init(open: @escaping @Sendable () -> Set<Data>) { self.open = open }

    /// Whether requests are noted.
    var isNeeded: Bool {
        get { state.withLock(\.isNeeded) }
        set { state.withLock { $0 = State(isNeeded: newValue, clients: newValue ? $0.clients : []) } }
    }

    func note(_ clients: [String]) {
        guard isNeeded else { return }
        let keys = clients.map(NameKey.data)
        state.withLock { $0.clients.formUnion(keys) }
    }

    /// Removes and returns the clients that were noted, and returns those with open streams.
    func take() -> Set<Data> {
        let noted = state.withLock { state in
            defer { state.clients = [] }
            return state.clients
        }
        return noted.union(open())
    }

    /// Notes clients again.
    func restore(_ clients: Set<Data>) { state.withLock { $0.clients.formUnion(clients) } }
}
