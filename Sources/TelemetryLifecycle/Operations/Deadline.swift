/// A moment on some clock by which an operation is to be done.
struct Deadline: Sendable {
    /// Whether the moment has come.
    let hasPassed: @Sendable () -> Bool
    /// Returns when the moment has come; throws when the calling task is cancelled.
    let wait: @Sendable () async throws -> Void

    init(in timeout: Duration, on clock: some Clock<Duration>) {
        let end = clock.now.advanced(by: timeout.bounded)
        hasPassed = { clock.now >= end }
        wait = { try await clock.sleep(until: end, tolerance: nil) }
    }
}

extension Duration {
    /// At most a century, either way: clocks trap where a moment is too far away, and a host may mean "never" by the longest.
    var bounded: Duration {
        let century = Duration.seconds(100 * 365 * 24 * 60 * 60)
        return min(max(self, .zero - century), century)
    }
}
