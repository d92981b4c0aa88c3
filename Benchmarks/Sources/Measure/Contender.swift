public import Foundation

/// One implementation of the task that a comparison measures.
public struct Contender {
    public let name: String
    let run: () async throws -> Double

    /// Creates a contender whose rounds are measured in wall-clock time.
    /// - Parameters:
    ///   - name: The name in the table.
    ///   - operations: The number of operations in a round.
    ///   - prepare: Creates the state for a round in a new directory; not timed.
    ///   - round: Performs the operations; timed.
    public init<Setup>(
        _ name: String, operations: Int, prepare: @escaping (URL) async throws -> Setup,
        round: @escaping (Setup) async throws -> Void
    ) {
        self.name = name
        self.run = {
            let scratch = try Scratch()
            let setup = try await prepare(scratch.url)
            let start = now()
            try await round(setup)
            let duration = Double(now() - start)
            withExtendedLifetime(scratch) {}
            return duration / Double(operations)
        }
    }

    /// Creates a contender without preparation.
    public init(_ name: String, operations: Int, round: @escaping () async throws -> Void) {
        self.init(name, operations: operations, prepare: { _ in }, round: round)
    }

    /// Creates a contender that runs a loop on one thread, measured in that thread's processor time, so that other processes do
    /// not count.
    public init(_ name: String, calls: Int, loop: @escaping () -> Void) {
        self.init(name) { callerTime(calls: calls, loop) }
    }

    /// Creates a contender that measures itself, in the comparison's unit.
    public init(_ name: String, measuring run: @escaping () async throws -> Double) {
        self.name = name
        self.run = run
    }
}

/// The processor time of one call on the calling thread, in nanoseconds.
public func callerTime(calls: Int, _ loop: () -> Void) -> Double {
    let start = threadTime()
    loop()
    return Double(threadTime() - start) / Double(calls)
}
