/// Something took longer than it may.
struct DeadlineExceeded: Error, Equatable {
    let limit: Duration
}

/// Runs the body, and cancels it once the time is over; the session's own timers start anew with every byte that trickles in.
/// - Throws: `DeadlineExceeded`; what the body throws.
func withDeadline<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration>, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await clock.sleep(for: limit)
            throw DeadlineExceeded(limit: limit)
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}

/// Measures time on a clock.
struct Stopwatch: Sendable {
    let elapsed: @Sendable () -> Duration

    init(_ clock: any Clock<Duration>) { self = Self.started(clock) }

    private init(elapsed: @escaping @Sendable () -> Duration) { self.elapsed = elapsed }

    private static func started<C: Clock<Duration>>(_ clock: C) -> Self {
        let start = clock.now
        return Self { start.duration(to: clock.now) }
    }
}
