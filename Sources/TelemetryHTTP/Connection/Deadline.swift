/// An operation exceeded its time limit.
struct DeadlineExceeded: Error, Equatable {
    let limit: Duration
}

/// Runs the body, and cancels it when the time limit is exceeded. The session's own timers do not suffice, because every received
/// byte restarts them.
/// - Throws: `DeadlineExceeded`; the body's error.
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

/// Measures elapsed time on a clock.
struct Stopwatch: Sendable {
    let elapsed: @Sendable () -> Duration

    init(_ clock: any Clock<Duration>) { self = Self.started(clock) }

    private init(elapsed: @escaping @Sendable () -> Duration) { self.elapsed = elapsed }

    private static func started<C: Clock<Duration>>(_ clock: C) -> Self {
        let start = clock.now
        return Self { start.duration(to: clock.now) }
    }
}
