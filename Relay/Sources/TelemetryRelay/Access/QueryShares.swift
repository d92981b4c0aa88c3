import Synchronization

/// Bounds how many queries of one token or client are evaluated at once, and how long each takes.
final class QueryShares: Sendable {
    /// The maximum number of queries of one owner.
    private static let share = 4

    private let time: Duration
    private let clock: any Clock<Duration>
    private let counts = Mutex<[RelayCaller.Owner: Int]>([:])

    init(time: Duration, clock: any Clock<Duration>) { (self.time, self.clock) = (time, clock) }

    /// - Throws: a 429 if as many queries of the caller are being evaluated as it may have; a 413 after the maximum time.
    func run<Value: Sendable>(
        for caller: RelayCaller, _ evaluate: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        // A host's token is that of all installations.
        let owner = caller.owners.first ?? .credential(caller.credential)
        let isAdmitted = counts.withLock { counts in
            guard counts[owner, default: 0] < Self.share else { return false }
            counts[owner, default: 0] += 1
            return true
        }
        guard isAdmitted else {
            throw Problem.rateLimited("At most \(Self.share) queries may be evaluated at once.", retryAfter: .seconds(1))
        }
        defer { counts.withLock { $0[owner] = $0[owner].flatMap { $0 > 1 ? $0 - 1 : nil } } }
        return try await withThrowingTaskGroup(of: Value?.self) { [clock, time] group in
            group.addTask { try await evaluate() }
            group.addTask {
                try await clock.sleep(for: time)
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else { throw Self.tooLong }
            return value
        }
    }

    private static var tooLong: Problem {
        .tooLarge("The query takes longer than the relay allows. Narrow it, for example to a client, a scenario or a time.")
    }
}
