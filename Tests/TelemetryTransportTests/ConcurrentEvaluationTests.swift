import Foundation
import Synchronization
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTransport
import Testing

struct ConcurrentEvaluationTests {
    private static let events = (0..<1_000).map { number in
        TelemetryEvent(eventId: "e\(number)", sessionId: "s", sequence: UInt64(number), name: "n\(number % 7)", threadId: "t")
    }

    private struct Failure: Error {}

    @Test("The result over parts is that over all events in their order", arguments: ["", "| top name", "name:=n3 | limit 9"])
    func parts(text: String) throws {
        let query = try TelemetryQuery(text)
        let evaluation = ConcurrentEvaluation<TelemetryEvent>(query, now: Date())
        for start in [500, 0] {
            try evaluation.evaluate(Array(stride(from: start, to: start + 500, by: 10))) { first, core in
                for number in first..<first + 10 {
                    let event = Self.events[number]
                    if evaluation.matches(event) { try core.add(matching: event, at: Int64(number)) { event } }
                }
            }
        }
        #expect(TelemetryQueryResult(try evaluation.result()) == (try query.result(over: Self.events)))
    }

    @Test("After an error no other part is begun, and the error is thrown")
    func failure() throws {
        let evaluation = ConcurrentEvaluation<TelemetryEvent>(try TelemetryQuery(""), now: Date())
        let begun = Mutex(0)
        #expect(throws: Failure.self) {
            try evaluation.evaluate(Array(0..<100_000)) { _, _ in
                begun.withLock { $0 += 1 }
                throw Failure()
            }
        }
        #expect(begun.withLock(\.self) <= ProcessInfo.processInfo.activeProcessorCount)
    }

    @Test("After a cancellation no part is begun")
    func cancellation() throws {
        let evaluation = ConcurrentEvaluation<TelemetryEvent>(try TelemetryQuery(""), now: Date())
        evaluation.cancel()
        let begun = Mutex(0)
        #expect(throws: CancellationError.self) { try evaluation.evaluate([1, 2]) { _, _ in begun.withLock { $0 += 1 } } }
        #expect(begun.withLock(\.self) == 0)
        #expect(evaluation.context.isCancelled())
    }
}
