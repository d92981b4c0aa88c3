import Foundation
import Synchronization

/// A manual wall clock and monotonic clock.
final class TestTime: Sendable {
    private let state = Mutex((wall: Date(timeIntervalSince1970: 1_764_000_000), uptime: Duration.zero))

    var now: Date { state.withLock(\.wall) }
    var uptime: Duration { state.withLock(\.uptime) }

    /// Advances both clocks.
    func pass(_ seconds: TimeInterval) {
        state.withLock { state in
            state.wall += seconds
            state.uptime += .seconds(seconds)
        }
    }

    /// Changes the wall clock only.
    func jump(_ seconds: TimeInterval) { state.withLock { $0.wall += seconds } }
}
