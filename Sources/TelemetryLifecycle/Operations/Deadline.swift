/// A time on some clock by which an operation has to be finished.
struct Deadline: Sendable {
    /// Whether the deadline has passed.
    let hasPassed: @Sendable () -> Bool
    /// Returns when the deadline has passed. Throws if the calling task is cancelled.
    let wait: @Sendable () async throws -> Void

    init(in timeout: Duration, on clock: some Clock<Duration>) {
        let end = clock.now.advanced(by: timeout.bounded)
        hasPassed = { clock.now >= end }
        wait = { try await clock.sleep(until: end, tolerance: nil) }
    }
}

extension Duration {
    /// The duration, limited to a century in either direction: clocks trap on instants that are too far away, and a host may pass
    /// the longest duration for "never".
    var bounded: Duration {
        let century = Duration.seconds(36_500 * 86_400)
        return min(max(self, .zero - century), century)
    }
}
