import Dispatch
import Synchronization
@_spi(Tooling) public import TelemetryModels

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Evaluates a query on parts of a store, on all cores. For the project's packages; not part of the interface.
@_spi(Tooling)
public final class ConcurrentEvaluation<Event: QuerySubject & Sendable>: Sendable {
    /// The evaluation of one core.
    private final class Core: Sendable {
        let evaluation: Mutex<QueryEvaluation<Event>>

        init(_ evaluation: QueryEvaluation<Event>) { self.evaluation = Mutex(evaluation) }
    }

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    public let context: QueryContext
    private let query: TelemetryQuery
    private let cores: [Core]
    private let wasCancelled = Flag()

    /// - Parameters:
    ///   - query: The query.
    ///   - now: What `time:15m` counts back from.
    ///   - limit: The maximum number of rows or events of the result.
    ///   - byteLimit: The maximum size of what each core keeps for the result, in bytes, as that of an evaluation.
    public init(_ query: TelemetryQuery, now: Date, limit: Int? = nil, byteLimit: Int = .max) {
        let context = QueryContext(now: now) { [wasCancelled] in wasCancelled.isSet.load(ordering: .relaxed) }
        (self.query, self.context) = (query, context)
        cores = (0..<max(1, ProcessInfo.processInfo.activeProcessorCount)).map { _ in
            Core(QueryEvaluation(query, in: context, limit: limit, byteLimit: byteLimit))
        }
    }

    /// Whether the result needs no more of the events than how many there are of each kind.
    public var isCount: Bool { cores[0].evaluation.withLock { $0.isCount } }

    /// Ends the evaluation, at any time and from any thread.
    public func cancel() { wasCancelled.isSet.store(true, ordering: .relaxed) }

    /// Whether the query's filter matches the event.
    public func matches(_ event: some QuerySubject) -> Bool { query.matches(event, in: context) }

    /// Whether the query's filter matches all events of a cell, or none; nil if it depends on the event.
    public func matches(_ cell: QueryCell) -> Bool? { query.matches(cell, in: context) }

    /// Adds the events of a cell that match, as ``QueryEvaluation/add(_:)`` does.
    public func add(_ cell: QueryCell) throws -> Bool { try cores[0].evaluation.withLock { try $0.add(cell) } }

    /// Evaluates parts, and returns after the last one. Must not be called twice at once.
    /// - Parameter body: Adds the events of a part, whose positions decide on their order.
    /// - Throws: The first error, after which no other part is begun; `CancellationError` after ``cancel()``.
    public func evaluate<Part: Sendable>(
        _ parts: [Part], _ body: @Sendable (Part, inout QueryEvaluation<Event>) throws -> Void
    ) throws {
        let next = Atomic(0)
        let failure = Mutex<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: min(cores.count, parts.count)) { core in
            do {
                try cores[core].evaluation.withLock { evaluation in
                    while true {
                        let place = next.wrappingAdd(1, ordering: .relaxed).oldValue
                        guard place < parts.count, failure.withLock({ $0 == nil }) else { return }
                        if context.isCancelled() { throw CancellationError() }
                        try body(parts[place], &evaluation)
                    }
                }
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// The result over all events that were added.
    /// - Throws: ``TelemetryQueryError`` if the query exceeds a limit.
    public func result() throws -> QueryEvaluation<Event>.Result {
        var result = cores[0].evaluation.withLock { $0 }
        for core in cores.dropFirst() { try result.merge(core.evaluation.withLock { $0 }) }
        return try result.result()
    }
}
