import Synchronization

/// The wake-up signals of an open stream or waiting request.
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
    }

    let credential: RelayCaller.Credential
    private let uptime: @Sendable () -> Duration
    private let state: Mutex<State>
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    init(credential: RelayCaller.Credential, uptime: @escaping @Sendable () -> Duration) {
        self.credential = credential
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

    /// Forwards hints until they end or the task is cancelled.
    func follow(_ hints: AsyncStream<Void>) async {
        for await _ in hints { hint() }
    }

    func noteWrite() { state.withLock { $0.lastWrite = uptime() } }

    /// Requests a heartbeat if nothing was written for `heartbeat`.
    func check(heartbeat: Duration) {
        let isSilent = state.withLock { state in
            let isSilent = uptime() - state.lastWrite >= heartbeat
            if isSilent { state.signals.needsHeartbeat = true }
            return isSilent
        }
        if isSilent { wake.yield() }
    }
}
