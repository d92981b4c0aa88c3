import Foundation

/// Decodes bodies, and encodes pages. Those that take long take turns, so that they leave a processor to everything else.
struct BodyDecoding: Sendable {
    /// The size from which on a body takes a turn, in bytes.
    private static let large = 64 << 10
    private let turns: Turns

    init(clock: any Clock<Duration>) {
        turns = Turns(
            maximum: max(1, ProcessInfo.processInfo.activeProcessorCount - 1), clock: clock,
            refusal: Problem.unavailable("Too many bodies and pages wait to be converted.", retryAfter: 1))
    }

    /// - Parameter bytes: the size of the body or the page.
    func run<Value>(_ bytes: Int, _ convert: () throws -> Value) async throws -> Value {
        if bytes < Self.large { return try convert() }
        return try await turns.run { try convert() }
    }
}
