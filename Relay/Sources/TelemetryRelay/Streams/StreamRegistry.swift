import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// The open streams. Requests heartbeats, ends streams whose token has ended, and ends all streams when the relay shuts down.
final class StreamRegistry: Service {
    private struct State {
        var lastID = 0
        var sessions: [Int: StreamSession] = [:]
        var counts: [RelayCaller.Owner: Int] = [:]
        var isEnding = false
    }

    private let gate: TokenGate
    private let limits: RelayLimits
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let uptime: @Sendable () -> Duration
    private let state = Mutex(State())

    /// The interval of checks, so that the end of a token takes effect within a second.
    static let interval = Duration.milliseconds(400)
    /// The time without output after which a heartbeat is sent. With one more interval, this is less than 15 seconds.
    static let heartbeat = Duration.seconds(10)

    init(
        gate: TokenGate, limits: RelayLimits, logger: Logger, clock: any Clock<Duration>,
        uptime: @escaping @Sendable () -> Duration
    ) {
        self.gate = gate
        self.limits = limits
        self.logger = logger
        self.clock = clock
        self.uptime = uptime
    }

    /// The number of open streams.
    var count: Int { state.withLock(\.sessions.count) }

    /// The keys of the clients with open streams.
    var clients: Set<Data> {
        Set(state.withLock { Array($0.counts.keys) }.compactMap { if case .clientKey(let key) = $0 { key } else { nil } })
    }

    /// - Throws: a 429 if the caller has as many open streams and waiting requests as it may have.
    func checkRoom(for caller: RelayCaller) throws { try state.withLock { try checkRoom(for: caller, in: $0) } }

    private func checkRoom(for caller: RelayCaller, in state: State) throws {
        for owner in caller.owners {
            let most =
                switch owner {
                case .clientKey: limits.clientStreams
                case .hosts: limits.hostStreams
                case .credential, .account: limits.tokenStreams
                }
            guard state.counts[owner, default: 0] < most else {
                throw Problem.rateLimited("At most \(most) streams and waiting requests may be open.", retryAfter: .seconds(5))
            }
        }
    }

    /// Runs `body` with a registered session.
    /// - Throws: a 429 as ``checkRoom(for:)``, and the errors of `body`.
    func withSession<Result>(
        _ caller: RelayCaller, _ body: (StreamSession) async throws -> Result
    ) async throws -> Result {
        let session = StreamSession(credential: caller.credential, uptime: uptime)
        let owners = caller.owners
        let (id, isEnding) = try state.withLock { state in
            try checkRoom(for: caller, in: state)
            for owner in owners { state.counts[owner, default: 0] += 1 }
            state.lastID += 1
            state.sessions[state.lastID] = session
            return (state.lastID, state.isEnding)
        }
        defer {
            state.withLock { state in
                state.sessions[id] = nil
                for owner in owners { state.counts[owner] = state.counts[owner].flatMap { $0 > 1 ? $0 - 1 : nil } }
            }
        }
        if isEnding { session.end() }
        // The server waits for open requests before it shuts down other services.
        return try await withGracefulShutdownHandler {
            try await body(session)
        } onGracefulShutdown: {
            session.end()
        }
    }

    func run() async throws {
        await withGracefulShutdownHandler {
            while !Task.isShuttingDownGracefully, !Task.isCancelled {
                await check()
                guard (try? await cancelWhenGracefulShutdown { try await self.clock.sleep(for: Self.interval) }) != nil else {
                    break
                }
            }
        } onGracefulShutdown: {
            self.endAll()
        }
        endAll()
    }

    /// Checks every stream once.
    func check() async {
        let sessions = state.withLock { Array($0.sessions.values) }
        for session in sessions { session.check(heartbeat: Self.heartbeat) }
        for (credential, sessions) in Dictionary(grouping: sessions, by: \.credential) {
            do {
                guard try await !gate.isValid(credential) else { continue }
                for session in sessions { session.end() }
            } catch {
                logger.error("a token cannot be looked up", metadata: ["error": "\(error)"])
            }
        }
    }

    private func endAll() {
        let sessions = state.withLock { state in
            state.isEnding = true
            return Array(state.sessions.values)
        }
        for session in sessions { session.end() }
    }
}
