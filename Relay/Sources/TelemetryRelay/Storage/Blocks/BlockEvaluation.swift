import Dispatch
import Foundation
import Synchronization
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTransport

/// Evaluates a query on the events of blocks, on all cores.
final class BlockEvaluation: Sendable {
    private typealias Evaluation = QueryEvaluation<QueriedEvent>

    /// The results of one core.
    private final class Part: Sendable {
        let evaluation: Mutex<Evaluation>

        init(_ evaluation: Evaluation) { self.evaluation = Mutex(evaluation) }
    }

    /// What is read before it is evaluated: at most so many bytes of text and so many blocks, unless a single one is larger.
    private static let (bytesATime, blocksATime) = (4 << 20, 256)

    private let query: TelemetryQuery
    private let filter: RelayEventFilter
    private let now: Date
    private let limit: Int
    private let byteLimit: Int
    private let keptBytes: Int
    /// What the events have that match.
    private let literals: QueryLiterals
    private let readBytes = Atomic(0)
    private let wasCancelled = Atomic(false)

    /// - Parameters:
    ///   - limit: the maximum number of rows or events of the result.
    ///   - byteLimit: the maximum size of the lines of the events that are read, in bytes.
    ///   - keptBytes: the maximum size of what each core keeps for the result, in bytes.
    init(
        _ query: TelemetryQuery, matching filter: RelayEventFilter, now: Date, limit: Int, byteLimit: Int,
        keptBytes: Int = 32 << 20
    ) {
        (self.query, self.filter, self.now) = (query, filter, now)
        (self.limit, self.byteLimit, self.keptBytes) = (limit, byteLimit, keptBytes)
        literals = QueryLiterals(query.literals, filter.query?.literals)
    }

    /// Ends the evaluation, at any time and from any thread.
    func cancel() { wasCancelled.store(true, ordering: .relaxed) }

    /// Evaluates the query. Not called twice at once.
    /// - Parameters:
    ///   - numbers: those of the events.
    ///   - texts: what returns the text of each block, on any thread.
    /// - Throws: `TelemetryQueryError` if the query exceeds a limit.
    func result(
        _ db: any StorageConnection, in numbers: Range<Int64>,
        texts: ([EventBlock]) throws -> [@Sendable () throws -> [UInt8]]
    ) throws -> RelayQueryResult {
        readBytes.store(0, ordering: .relaxed)
        let context = QueryContext(now: now) { [self] in wasCancelled.load(ordering: .relaxed) }
        let selection = EventSelection(filter, in: context)
        let parts = (0..<max(1, ProcessInfo.processInfo.activeProcessorCount)).map { _ in
            Part(Evaluation(query, in: context, limit: limit, byteLimit: keptBytes))
        }
        if !numbers.isEmpty {
            let numbers = numbers.lowerBound...numbers.upperBound - 1
            var blocks: [EventBlock] = []
            var bytes = 0
            func evaluate() throws {
                try self.evaluate(blocks, texts(blocks), selection, numbers, parts)
                (blocks, bytes) = ([], 0)
            }
            try BlockReader(db, selection) { _ in [] }.forEachBlock(in: numbers, .ascending, EventBlock.columns) { block in
                blocks.append(block)
                bytes += block.length
                if bytes >= Self.bytesATime || blocks.count == Self.blocksATime { try evaluate() }
                return true
            }
            try evaluate()
        }
        var result = parts[0].evaluation.withLock { $0 }
        for part in parts.dropFirst() { try result.merge(part.evaluation.withLock { $0 }) }
        let found = try result.result()
        return RelayQueryResult(
            columns: found.columns, rows: found.rows, events: found.events, matched: found.matched, isCut: found.isCut)
    }

    private func evaluate(
        _ blocks: [EventBlock], _ texts: [@Sendable () throws -> [UInt8]], _ selection: EventSelection,
        _ numbers: ClosedRange<Int64>, _ parts: [Part]
    ) throws {
        let next = Atomic(0)
        let failure = Mutex<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: min(parts.count, blocks.count)) { index in
            do {
                try parts[index].evaluation.withLock { evaluation in
                    while true {
                        let place = next.wrappingAdd(1, ordering: .relaxed).oldValue
                        guard place < blocks.count, failure.withLock({ $0 == nil }) else { return }
                        if wasCancelled.load(ordering: .relaxed) { throw CancellationError() }
                        try evaluate(blocks[place], texts[place], selection, numbers, &evaluation)
                    }
                }
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
        try Task.checkCancellation()
    }

    private func evaluate(
        _ block: EventBlock, _ text: () throws -> [UInt8], _ selection: EventSelection, _ numbers: ClosedRange<Int64>,
        _ evaluation: inout Evaluation
    ) throws {
        let events = try BlockReader.candidates(in: block, selection, numbers, index: 0) { summary in
            guard let entries = try block.entries(of: summary) else { throw BlockScanner.malformed }
            return entries
        }
        guard !events.isEmpty else { return }
        let length = events.reduce(0) { $0 + $1.line.count }
        guard readBytes.wrappingAdd(length, ordering: .relaxed).newValue <= byteLimit else {
            throw TelemetryQueryError(
                message: "The query reads more than \(byteLimit) bytes of events: narrow it, for example to a time.", offset: 0)
        }
        let text = try text()
        var header: (place: Range<Int>, line: [UInt8]) = (0..<0, [])
        try BlockReader.read(events, in: text, with: literals) { event, stored in
            guard selection.contains(stored), evaluation.matches(stored) else { return }
            try evaluation.add(matching: stored, at: event.entry.number) {
                if header.place != event.header { header = (event.header, Array(text[event.header])) }
                return QueriedEvent(event: stored.event, header: header.line, line: Array(text[event.line]))
            }
        }
    }
}
