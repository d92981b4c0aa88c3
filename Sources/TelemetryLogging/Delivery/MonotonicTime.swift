/// Elapsed time on a clock of any type. Instants of different clocks have no common type.
struct MonotonicTime: Sendable {
    let clock: any Clock<Duration>
    /// The time since this value was made.
    let elapsed: @Sendable () -> Duration

    init(clock: any Clock<Duration>) {
        self.clock = clock
        elapsed = Self.stopwatch(clock)
    }

    private static func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
