import Foundation
import Synchronization

/// The clocks of a machine, as a test sets them.
final class TestTime: Sendable {
    private let state = Mutex((wall: Date(timeIntervalSince1970: 1_764_000_000), uptime: Duration.zero))

    var now: Date { state.withLock(\.wall) }
    var uptime: Duration { state.withLock(\.uptime) }

    /// Time passes.
    func pass(_ seconds: TimeInterval) {
        state.withLock { state in
            state.wall += seconds
            state.uptime += .seconds(seconds)
        }
    }

    /// The wall clock is set to another time.
    func jump(_ seconds: TimeInterval) { state.withLock { $0.wall += seconds } }
}
