import Synchronization

/// A clock whose time changes only when a test advances it.
///
/// A test waits until the code under test sleeps (``sleepers(atLeast:)``), then advances the time (``advance(by:)``). No real
/// time passes, and nothing is polled.
public final class ManualClock: Clock, Sendable {
    /// An instant of this clock, measured from its creation.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public let offset: Swift.Duration

        /// Creates the instant at an offset from the clock's creation.
        public init(offset: Swift.Duration) { self.offset = offset }

        /// The instant that is later by the duration.
        public func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        /// The duration from this instant to another; negative if the other is earlier.
        public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextID: UInt64 = 0
        var sleepers: [UInt64: Sleeper] = [:]
        var cancelled: Set<UInt64> = []
        var watchers: [Watcher] = []

        /// Removes and returns the watchers whose number of sleepers is reached.
        mutating func satisfiedWatchers() -> [Watcher] {
            let count = sleepers.count
            let satisfied = watchers.filter { $0.count <= count }
            watchers.removeAll { $0.count <= count }
            return satisfied
        }
    }

    private let state = Mutex(State())

    /// Creates a clock at offset zero.
    public init() {}

    /// The current instant; changes only when the test advances the clock.
    public var now: Instant { state.withLock(\.now) }
    /// Zero: the resolution of this clock is not limited.
    public var minimumResolution: Swift.Duration { .zero }

    /// The number of tasks that sleep on this clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The time until the next sleeper wakes; nil if there is none.
    public var timeToNextWake: Swift.Duration? {
        state.withLock { state in state.sleepers.values.map(\.deadline).min().map { state.now.duration(to: $0) } }
    }

    /// Suspends until the clock is advanced to the deadline.
    /// - Throws: `CancellationError` if the calling task is cancelled; other sleepers are not affected.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration? = nil) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        // A cancellation after the sleep has no effect.
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(Sleeper(deadline: deadline, continuation: continuation), id: id)
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Advances the time and wakes the sleepers whose deadline is reached, earliest first.
    public func advance(by duration: Swift.Duration) {
        advance(to: now.advanced(by: duration))
    }

    /// Advances the time to an instant; an earlier one has no effect.
    public func advance(to instant: Instant) {
        let due = state.withLock { state in
            state.now = max(state.now, instant)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for (_, sleeper) in due { sleeper.continuation.resume() }
    }

    /// Returns once at least `count` tasks sleep on this clock.
    public func sleepers(atLeast count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isSatisfied = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.watchers.append(Watcher(count: count, continuation: continuation))
                return false
            }
            if isSatisfied { continuation.resume() }
        }
    }

    private func begin(_ sleeper: Sleeper, id: UInt64) {
        enum Outcome { case sleeps([Watcher]), cancelled, due }
        let outcome: Outcome = state.withLock { state in
            if state.cancelled.contains(id) { return .cancelled }
            if sleeper.deadline <= state.now { return .due }
            state.sleepers[id] = sleeper
            return .sleeps(state.satisfiedWatchers())
        }
        switch outcome {
        case .sleeps(let watchers): for watcher in watchers { watcher.continuation.resume() }
        case .cancelled: sleeper.continuation.resume(throwing: CancellationError())
        case .due: sleeper.continuation.resume()
        }
    }

    private func cancel(_ id: UInt64) {
        let sleeper = state.withLock { state in
            let sleeper = state.sleepers.removeValue(forKey: id)
            // Cancelled before it began to sleep: stored until it does.
            if sleeper == nil { state.cancelled.insert(id) }
            return sleeper
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
