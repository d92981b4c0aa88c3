public import Foundation

/// One way to do what a comparison is about.
public struct Contender {
    public let name: String
    let run: () async throws -> Double

    /// A contender whose round is timed by the clock on the wall.
    /// - Parameters:
    ///   - name: What the table calls it.
    ///   - operations: How many operations a round is.
    ///   - prepare: Makes what a round needs, in a directory of its own; not timed.
    ///   - round: Does the operations; timed.
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

    /// A contender that needs no preparation.
    public init(_ name: String, operations: Int, round: @escaping () async throws -> Void) {
        self.init(name, operations: operations, prepare: { _ in }, round: round)
    }

    /// A contender that is a loop on one thread, timed by the processor time of that thread: whoever else is on the machine
    /// is not counted.
    public init(_ name: String, calls: Int, loop: @escaping () -> Void) {
        self.init(name) { callerTime(calls: calls, loop) }
    }

    /// A contender that measures itself, in whatever unit the comparison has.
    public init(_ name: String, measuring run: @escaping () async throws -> Double) {
        self.name = name
        self.run = run
    }
}

/// What a call costs the thread that makes it, in nanoseconds of its processor time.
public func callerTime(calls: Int, _ loop: () -> Void) -> Double {
    let start = threadTime()
    loop()
    return Double(threadTime() - start) / Double(calls)
}
