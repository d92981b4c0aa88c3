import Foundation

/// Decodes bodies. Those that take long take turns, so that they leave a processor to everything else.
struct BodyDecoding: Sendable {
    /// The size from which on a body takes a turn, in bytes.
    private static let large = 64 << 10
    private let turns: Turns

    init(clock: any Clock<Duration>) {
        turns = Turns(
            maximum: max(1, ProcessInfo.processInfo.activeProcessorCount - 1), clock: clock,
            refusal: Problem.unavailable("Too many bodies wait to be decoded.", retryAfter: 1))
    }

    /// - Parameter bytes: the size of the body.
    func run<Value>(_ bytes: Int, _ decode: () throws -> Value) async throws -> Value {
        if bytes < Self.large { return try decode() }
        return try await turns.run { try decode() }
    }
}
