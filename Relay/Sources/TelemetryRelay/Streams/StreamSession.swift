import NIOCore
import Synchronization

/// One open stream, or one request that waits: what wakes it, and how its writing goes.
final class StreamSession: Sendable {
    /// Why a stream goes on.
    struct Signals {
        /// There may be something to read.
        var isHinted = false
        /// Nothing was written for a while.
        var needsHeartbeat = false
        /// The stream is to end now.
        var isEnded = false
    }

    private struct State {
        var signals = Signals()
        var lastWrite: Duration
        /// Since when a write waits for its reader.
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
        // However many signals come between two looks, one look finds them all.
        (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    var isEnded: Bool { state.withLock(\.signals.isEnded) }

    func hint() {
        state.withLock { $0.signals.isHinted = true }
        wake.yield()
    }

    /// Ends the stream after what it writes now.
    func end() {
        state.withLock { $0.signals.isEnded = true }
        wake.yield()
        wake.finish()
    }

    /// Waits until something has happened.
    /// - Returns: what has; a cancelled task is an end.
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

    /// Passes on hints until they end or the task is cancelled.
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

    /// Asks for a sign of life where nothing was written for so long, and cuts a reader that does not read.
    /// - Returns: whether the reader was cut.
    func check(heartbeat: Duration, patience: Duration) -> Bool {
        let now = uptime()
        let (isStalled, isSilent) = state.withLock { state in
            let isStalled = state.writing.map { now - $0 >= patience } ?? false
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
