import NIOCore
import Synchronization

/// One open stream or waiting request: its wake-up signals and the state of its writes.
final class StreamSession: Sendable {
    /// The reasons for waking a stream.
    struct Signals {
        /// There may be something to read.
        var isHinted = false
        /// Nothing was written for a while.
        var needsHeartbeat = false
        /// The stream must end now.
        var isEnded = false
    }

    private struct State {
        var signals = Signals()
        var lastWrite: Duration
        /// When the current write began; nil if there is none.
        var writing: Duration?
    }

    let credential: RelayCaller.Credential
    private let channel: any Channel
    private let uptime: @Sendable () -> Duration
    private let state: Mutex<State>
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(credential: RelayCaller.Credential, channel: any Channel, uptime: @escaping @Sendable () -> Duration) {
        self.credential = credential
        self.channel = channel
        self.uptime = uptime
        state = Mutex(State(lastWrite: uptime()))
        // One element is enough: a read of the state finds all signals before it.
        (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    var isEnded: Bool { state.withLock(\.signals.isEnded) }

    func hint() {
        state.withLock { $0.signals.isHinted = true }
        wake.yield()
    }

    /// Ends the stream after the current write.
    func end() {
        state.withLock { $0.signals.isEnded = true }
        wake.yield()
        wake.finish()
    }

    /// Waits for a signal.
    /// - Returns: the signals since the last call; `isEnded` if the task is cancelled.
    func next() async -> Signals {
        while true {
            let signals = state.withLock { state in
                defer { (state.signals.isHinted, state.signals.needsHeartbeat) = (false, false) }
                return state.signals
            }
            if signals.isHinted || signals.needsHeartbeat || signals.isEnded { return signals }
            var iterator = wakes.makeAsyncIterator()
            guard await iterator.next() != nil else { return Signals(isEnded: true) }
        }
    }

    /// Returns when the session has ended or the task is cancelled.
    func ended() async {
        while await !next().isEnded {}
    }

    /// Forwards hints until they end or the task is cancelled.
    func follow(_ hints: AsyncStream<Void>) async {
        for await _ in hints { hint() }
    }

    func beginWrite() { state.withLock { $0.writing = uptime() } }

    func endWrite() {
        state.withLock { state in
            state.writing = nil
            state.lastWrite = uptime()
        }
    }

    /// Requests a heartbeat if nothing was written for `heartbeat`, and closes the connection if a write has taken
    /// `stallTimeout`.
    /// - Returns: whether the connection was closed.
    func check(heartbeat: Duration, stallTimeout: Duration) -> Bool {
        let now = uptime()
        let (isStalled, isSilent) = state.withLock { state in
            let isStalled = state.writing.map { now - $0 >= stallTimeout } ?? false
            let isSilent = state.writing == nil && now - state.lastWrite >= heartbeat
            if isSilent { state.signals.needsHeartbeat = true }
            return (isStalled, isSilent)
        }
        if isSilent { wake.yield() }
        guard isStalled else { return false }
        end()
        channel.close(mode: .all, promise: nil)
        return true
    }
}
