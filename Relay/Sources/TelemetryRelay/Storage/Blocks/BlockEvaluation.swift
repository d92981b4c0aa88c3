import Foundation
import Synchronization
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTransport

/// Evaluates a query on the events of blocks, on all cores.
final class BlockEvaluation: Sendable {
    /// A block that has to be read.
    private struct Candidate: Sendable {
        var block: EventBlock
        let summary: BlockSummary
        /// For each cell of the summary, whether its events have to be read.
        let isRead: [Bool]
    }

    /// What is read before it is evaluated: at most so many bytes of text and so many blocks, unless a single one is larger.
    private static let (bytesATime, blocksATime) = (4 << 20, 256)

    private let query: TelemetryQuery
    private let filter: RelayEventFilter
    private let evaluation: ConcurrentEvaluation<QueriedEvent>
    private let byteLimit: Int
    /// What the events have that match.
    private let literals: QueryLiterals

    /// - Parameters:
    ///   - limit: the maximum number of rows or events of the result.
    ///   - byteLimit: the maximum size of the lines of the events that are read, in bytes.
    ///   - keptBytes: the maximum size of what each core keeps for the result, in bytes.
    init(
        _ query: TelemetryQuery, matching filter: RelayEventFilter, now: Date, limit: Int, byteLimit: Int,
        keptBytes: Int = 32 << 20
    ) {
        (self.query, self.byteLimit) = (query, byteLimit)
        self.filter = filter.narrowed(to: query, now: now)
        evaluation = ConcurrentEvaluation(query, now: now, limit: limit, byteLimit: keptBytes)
        literals = QueryLiterals(query.literals, filter.query?.literals)
    }

    /// Ends the evaluation, at any time and from any thread.
    func cancel() { evaluation.cancel() }

    /// Evaluates the query. Called once.
    /// - Parameters:
    ///   - numbers: those of the events.
    ///   - texts: what returns the text of each block, on any thread.
    /// - Throws: `TelemetryQueryError` if the query exceeds a limit.
    func result(
        _ db: any StorageConnection, in numbers: Range<Int64>,
        texts: ([EventBlock]) throws -> [@Sendable () throws -> [UInt8]]
    ) throws -> RelayQueryResult {
        if !numbers.isEmpty { try evaluate(db, in: numbers.lowerBound...numbers.upperBound - 1, texts: texts) }
        let found = try evaluation.result()
        return RelayQueryResult(
            columns: found.columns, rows: found.rows, events: found.events, matched: found.matched, isCut: found.isCut)
    }

    private func evaluate(
        _ db: any StorageConnection, in numbers: ClosedRange<Int64>,
        texts: ([EventBlock]) throws -> [@Sendable () throws -> [UInt8]]
    ) throws {
        let selection = EventSelection(filter, in: evaluation.context)
        let readBytes = Atomic(0)
        var group: [Candidate] = []
        var bytes = 0
        func evaluate() throws {
            let parts = Array(zip(group, try texts(group.map(\.block))))
            (group, bytes) = ([], 0)
            try evaluation.evaluate(parts) { part, core in
                try add(part.0, text: part.1, selection, numbers, readBytes, to: &core)
            }
            try Task.checkCancellation()
        }
        let cells = BlockCells(db, for: query.fields.union(selection.fields))
        let usesWords = query.usesWords || selection.usesWords
        // What may be excluded or counted is read without its entries.
        let readsEntries = !usesWords && !(evaluation.isCount && query.fields.isSubset(of: BlockCells.fields))
        var parts: Set<EventBlock.Part> = readsEntries ? [.summary, .entries] : [.summary]
        if usesWords { parts.insert(.words) }
        try BlockReader(db, selection) { _ in [] }.forEachBlock(in: numbers, .ascending, parts) { block in
            guard !block.isExcludedByWords(evaluation.matches),
                var candidate = try count(block, cells, selection, numbers)
            else { return true }
            if !readsEntries, let whole = try EventBlock.find(block.id, db) { candidate.block = whole }
            group.append(candidate)
            bytes += block.length
            if bytes >= Self.bytesATime || group.count == Self.blocksATime { try evaluate() }
            return true
        }
        try evaluate()
    }

    /// Counts the events of a block of which it is enough to know how many there are.
    /// - Returns: what is left to read; nil for nothing.
    private func count(
        _ block: EventBlock, _ cells: BlockCells, _ selection: EventSelection, _ numbers: ClosedRange<Int64>
    ) throws -> Candidate? {
        let summary = try block.summary()
        var isRead = summary.selected(by: selection)
        let isWhole = selection.covers(block, in: numbers)
        for (cell, places) in try cells.cells(of: block, summary, where: isRead) {
            let isDecided =
                switch selection.matches(cell) {
                case false?: true
                case true? where isWhole: try evaluation.add(cell)
                case true?, nil: evaluation.matches(cell) == false
                }
            if isDecided { for place in places { isRead[place] = false } }
        }
        guard isRead.contains(true) else { return nil }
        return Candidate(block: block, summary: summary, isRead: isRead)
    }

    private func add(
        _ candidate: Candidate, text: () throws -> [UInt8], _ selection: EventSelection, _ numbers: ClosedRange<Int64>,
        _ readBytes: borrowing Atomic<Int>, to core: inout QueryEvaluation<QueriedEvent>
    ) throws {
        guard let entries = try candidate.block.entries(of: candidate.summary) else { throw BlockScanner.malformed }
        let events = BlockReader.candidates(in: entries, where: candidate.isRead, selection, numbers, index: 0)
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
            try core.add(matching: stored, at: event.entry.number) {
                if header.place != event.header { header = (event.header, Array(text[event.header])) }
                return QueriedEvent(event: stored.event, header: header.line, line: Array(text[event.line]))
            }
        }
    }
}
