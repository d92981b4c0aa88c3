import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// Every open stream: gives them signs of life, ends those whose token has ended, cuts readers that do not read, and ends all of
/// them when the relay ends.
final class StreamRegistry: Service {
    private struct State {
        var lastID = 0
        var sessions: [Int: StreamSession] = [:]
        var cut = 0
        var isEnding = false
    }

    private let gate: TokenGate
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let uptime: @Sendable () -> Duration
    private let state = Mutex(State())

    /// How often tokens are looked at: a token's end takes effect within a second.
    static let interval = Duration.milliseconds(400)
    /// A comment is due after this long; with an interval more, still within 15 seconds.
    static let heartbeat = Duration.seconds(10)
    /// A reader that takes nothing for this long is cut.
    static let patience = Duration.seconds(30)

    init(gate: TokenGate, logger: Logger, clock: any Clock<Duration>, uptime: @escaping @Sendable () -> Duration) {
        self.gate = gate
        self.logger = logger
        self.clock = clock
        self.uptime = uptime
    }

    /// How many streams are open.
    var count: Int { state.withLock(\.sessions.count) }
    /// How many readers were cut since the start.
    var cut: Int { state.withLock(\.cut) }

    /// Runs what is a stream for as long as it takes.
    func withSession<Result>(
        _ credential: RelayCaller.Credential, channel: any Channel, _ body: (StreamSession) async throws -> Result
    ) async rethrows -> Result {
        let session = StreamSession(credential: credential, channel: channel, uptime: uptime)
        let (id, isEnding) = state.withLock { state in
            state.lastID += 1
            state.sessions[state.lastID] = session
            return (state.lastID, state.isEnding)
        }
        defer { state.withLock { _ = $0.sessions.removeValue(forKey: id) } }
        if isEnding { session.end() }
        // The server waits for its requests before any other service is told to end.
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

    /// Looks at every stream once.
    func check() async {
        let sessions = state.withLock { Array($0.sessions.values) }
        let stalled = sessions.count { $0.check(heartbeat: Self.heartbeat, patience: Self.patience) }
        if stalled > 0 {
            state.withLock { $0.cut += stalled }
            logger.info("readers that did not read were cut", metadata: ["count": "\(stalled)"])
        }
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
