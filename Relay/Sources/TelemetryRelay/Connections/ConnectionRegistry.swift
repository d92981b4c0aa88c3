import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// The open connections. Bounds their number, in all and for each network, and the bytes that they hold, and closes those whose peer
/// keeps the relay waiting.
///
/// Where a limit is reached, the connections that have waited longest for their peer are closed. A connection that waits for the
/// relay, such as an open stream, is never closed for another.
final class ConnectionRegistry: Service {
    /// Why a connection was closed.
    enum Reason: String, CaseIterable {
        case head, idle, body, response
        /// The limit of connections was reached.
        case room
        /// The limit of bytes was reached, or that of one connection behind an open request.
        case memory
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var networks: [String: Int] = [:]
        var closed = Dictionary(uniqueKeysWithValues: Reason.allCases.map { ($0, 0) })
        /// The counts that were logged.
        var logged: [Reason: Int] = [:]
    }

    private let limits: RelayLimits
    private let countsNetworks: Bool
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let uptime: @Sendable () -> Duration
    private let held = Atomic(0)
    private let state = Mutex(State())

    private static let interval = Duration.seconds(1)

    /// - Parameter countsNetworks: false behind a proxy, whose address all connections have.
    init(
        limits: RelayLimits, countsNetworks: Bool, logger: Logger, clock: any Clock<Duration>,
        uptime: @escaping @Sendable () -> Duration
    ) {
        self.limits = limits
        self.countsNetworks = countsNetworks
        self.logger = logger
        self.clock = clock
        self.uptime = uptime
    }

    var count: Int { state.withLock(\.connections.count) }
    /// The bytes of requests that are not answered and of responses that are not read.
    var heldBytes: Int { held.load(ordering: .relaxed) }
    /// The number of connections that were closed since the start.
    var closed: [Reason: Int] { state.withLock(\.closed) }

    /// Registers a connection.
    /// - Returns: nil if there is no room for it; it is closed then.
    func open(_ channel: any Channel) -> Connection? {
        let network = countsNetworks ? channel.remoteAddress?.ipAddress.map(SourceNetwork.name) : nil
        let connection = Connection(channel: channel, network: network, now: uptime())
        let (isOpen, closed) = state.withLock { state in
            var closed: [Connection] = []
            if isFull(network, state) {
                closed = makeRoom(in: &state, below: limits.addressConnections) { $0.network == network }
            } else if isFull(state) {
                closed = makeRoom(in: &state, below: limits.connections) { _ in true }
            }
            guard !isFull(network, state), !isFull(state) else {
                state.closed[.room, default: 0] += 1
                return (false, closed + [connection])
            }
            state.connections[ObjectIdentifier(connection)] = connection
            if let network { state.networks[network, default: 0] += 1 }
            return (true, closed)
        }
        for connection in closed { connection.channel.close(mode: .all, promise: nil) }
        return isOpen ? connection : nil
    }

    private func isFull(_ state: State) -> Bool { state.connections.count >= limits.connections }

    private func isFull(_ network: String?, _ state: State) -> Bool {
        network.flatMap { state.networks[$0] } ?? 0 >= limits.addressConnections
    }

    /// Updates a connection's state. The closure gets the time.
    func update(_ connection: Connection, _ body: (inout ConnectionState, Duration) -> Void) {
        let now = uptime()
        let change = connection.update { body(&$0, now) }
        guard change != 0 else { return }
        let total = held.add(change, ordering: .relaxed).newValue
        if change > 0, total > limits.heldBytes { freeMemory() }
    }

    func close(_ connection: Connection, for reason: Reason) {
        state.withLock { forget(connection, for: reason, in: &$0) }
        connection.channel.close(mode: .all, promise: nil)
    }

    /// Forgets a connection that has ended.
    func ended(_ connection: Connection) { state.withLock { forget(connection, in: &$0) } }

    func run() async throws {
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            check()
            guard (try? await cancelWhenGracefulShutdown { try await self.clock.sleep(for: Self.interval) }) != nil else {
                return
            }
        }
    }

    /// Closes the connections that keep the relay waiting for too long.
    func check() {
        let now = uptime()
        let (overdue, counts) = state.withLock { state in
            var overdue: [Connection] = []
            for connection in state.connections.values {
                guard let wait = connection.overdue(at: now) else { continue }
                forget(connection, for: Reason(wait), in: &state)
                overdue.append(connection)
            }
            defer { state.logged = state.closed }
            return (overdue, state.closed.filter { $0.key != .idle && $0.value != state.logged[$0.key, default: 0] })
        }
        for connection in overdue { connection.channel.close(mode: .all, promise: nil) }
        guard !counts.isEmpty else { return }
        logger.info(
            "connections were closed",
            metadata: Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, "\($0.value) since the start") }))
    }

    /// Forgets the connections that have waited longest, a sixteenth of the limit, so that not each of a burst searches them.
    /// - Returns: these connections, to be closed without the lock.
    private func makeRoom(
        in state: inout State, below limit: Int, _ isCandidate: (Connection) -> Bool
    ) -> [Connection] {
        let victims = Self.waiting(state.connections.values.filter(isCandidate)).prefix(max(1, limit / 16))
        for connection in victims { forget(connection, for: .room, in: &state) }
        return Array(victims)
    }

    private func freeMemory() {
        let victims = state.withLock { state in
            Self.waiting(state.connections.values.filter { $0.heldBytes > 0 }).prefix { connection in
                guard heldBytes > limits.heldBytes else { return false }
                forget(connection, for: .memory, in: &state)
                return true
            }
        }
        for connection in victims { connection.channel.close(mode: .all, promise: nil) }
    }

    /// The connections that wait for their peers, first the one that has waited longest.
    private static func waiting(_ connections: some Sequence<Connection>) -> [Connection] {
        connections.compactMap { connection in connection.waitsSince.map { (connection, since: $0) } }
            .sorted { $0.since < $1.since }.map(\.0)
    }

    private func forget(_ connection: Connection, for reason: Reason? = nil, in state: inout State) {
        guard state.connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        if let reason { state.closed[reason, default: 0] += 1 }
        held.add(connection.update { $0.close() }, ordering: .relaxed)
        guard let network = connection.network else { return }
        state.networks[network] = state.networks[network].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}

extension ConnectionRegistry.Reason {
    fileprivate init(_ wait: ConnectionState.Wait) {
        self =
            switch wait {
            case .firstHead: .head
            case .nextHead: .idle
            case .body, .restOfBody: .body
            case .response: .response
            }
    }
}
