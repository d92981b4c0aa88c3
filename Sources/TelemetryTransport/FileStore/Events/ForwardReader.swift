import Foundation
import Synchronization
@_spi(Tooling) import TelemetryModels

/// Reads events in the journal's order.
struct ForwardReader {
    /// The end of reading, and the number of events that retention had removed.
    private struct End {
        var position: JournalPosition
        /// Whether more events may be available now.
        var hasMore = false
        var missed: UInt64 = 0
    }

    /// How many batches are evaluated together; each may keep a file open.
    private static let batchesAtOnce = 32

    let store: OpenStore
    let cursors: EventCursors

    nonisolated(nonsending) func page(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        let start = try cursors.start(after: cursor)
        var found: [TelemetryEvent] = []
        found.reserveCapacity(min(limit, 512))
        let end = try await scan(filter, from: start.position) { batch, first in
            let extent = try store.segments.read(batch, matching: filter, fromLine: first) { event in
                found.append(consume event)
                return found.count < limit
            }
            return (extent, found.count < limit)
        }
        return TelemetryEventPage(
            events: found, cursor: cursors.cursor(at: end.position), hasMore: end.hasMore,
            skippedEventCount: Int(clamping: start.missed.addingClamped(end.missed)))
    }

    nonisolated(nonsending) func count(matching filter: TelemetryEventFilter) async throws -> Int {
        var count = 0
        _ = try await scan(filter, from: cursors.start(after: nil).position) { batch, _ in
            // A batch may have thousands of events.
            try Task.checkCancellation()
            let extent = try store.segments.read(batch, matching: filter) { _ in
                count += 1
                return true
            }
            return (extent, true)
        }
        return count
    }

    nonisolated(nonsending) func result(
        of query: TelemetryQuery, matching filter: TelemetryEventFilter, now: Date
    ) async throws -> TelemetryQueryResult {
        let evaluation = ConcurrentEvaluation<TelemetryEvent>(query, now: now)
        let search = LineSearch(QueryLiterals(query.literals, filter.query?.literals))
        return try await withTaskCancellationHandler {
            var batches: [(lines: BatchLines, number: Int64)] = []
            var number: Int64 = 0
            func evaluate() throws {
                defer { batches = [] }
                try store.reading { try self.evaluate(batches, search, filter, evaluation) }
            }
            _ = try await scan(filter, from: cursors.start(after: nil).position) { batch, _ in
                var isGone = false
                if let lines = try store.segments.lines(of: batch, isGone: &isGone) {
                    batches.append((lines, number))
                    number += 1
                }
                if batches.count == Self.batchesAtOnce { try evaluate() }
                return (isGone ? .gone : .complete, true)
            }
            try evaluate()
            return try TelemetryTransportError.evaluating { TelemetryQueryResult(try evaluation.result()) }
        } onCancel: {
            evaluation.cancel()
        }
    }

    private func evaluate(
        _ batches: [(lines: BatchLines, number: Int64)], _ search: LineSearch?, _ filter: TelemetryEventFilter,
        _ evaluation: ConcurrentEvaluation<TelemetryEvent>
    ) throws {
        let damaged = Mutex<[(batch: JournalBatch, line: UInt64)]>([])
        try TelemetryTransportError.evaluating {
            try evaluation.evaluate(batches) { batch, core in
                let lines = try batch.lines.examine(search) { event, line in
                    guard evaluation.matches(event), filter.matches(event, now: evaluation.context.now) else { return }
                    let position = batch.number << 32 | Int64(min(line, UInt64(UInt32.max)))
                    try core.add(matching: event, at: position) { event.event }
                }
                damaged.withLock { $0 += lines.map { (batch.lines.batch, $0) } }
            }
        }
        for (batch, line) in damaged.withLock(\.self) { store.segments.reportDamage(of: batch, line: line) }
    }

    /// Reads each batch that may have matching events, in the journal's order.
    /// - Parameter read: Reads a batch after its first lines; returns also whether more events are wanted.
    nonisolated(nonsending) private func scan(
        _ filter: TelemetryEventFilter, from start: JournalPosition,
        _ read: (JournalBatch, _ first: UInt64) throws -> (SegmentReader.ReadExtent, wantsMore: Bool)
    ) async throws -> End {
        let bounds = store.bounds(of: filter)
        var walk = try continuedWalk(from: start, filter) ?? walk(from: start, bounds)
        var end = End(position: start)
        defer { for (client, at) in walk.lines.tornBatches { store.noteTornBatch(ofClient: client, at) } }
        var wantsMore = true
        var batches = 0
        var gone: [String: [String: Bool]] = [:]
        while let step = try store.reading({ try walk.next() }) {
            let at = step.at
            if let gap = walk.takeGap() {
                let passed = if case .head(_, let events) = step.line { events } else { gap.events }
                let next = JournalPosition(file: at.file, offset: 0, events: passed)
                end.missed = end.missed.addingClamped(try cursors.missing(since: gap, until: next).events)
            }
            guard case .batch(let batch) = step.line else { continue }
            if !wantsMore {
                (end.position, end.hasMore) = (at, true)
                keep(walk, at: end.position, filter)
                return end
            }
            guard step.isIndexed || walk.ends.insert(batch) else {
                store.report(
                    .corruptFile,
                    "\(store.layout.journalFile(at.file)) has a duplicate entry at offset \(at.offset); it is skipped.")
                continue
            }
            if let client = bounds.client, batch.client != client { continue }
            let first = at.isPlace(start) ? start.linesRead : 0
            let extent: SegmentReader.ReadExtent
            (extent, wantsMore) = try store.reading { try read(batch, first) }
            if case .stopped(let lines) = extent {
                (end.position, end.hasMore) = (at, true)
                end.position.linesRead = lines
                if !step.isIndexed { walk.ends.restart(batch) }
                keep(walk, at: end.position, filter)
                return end
            }
            if extent == .gone, try isRetired(batch, &gone) {
                end.missed = end.missed.addingClamped(batch.eventCount - min(first, batch.eventCount))
            }
            batches += 1
            if batches.isMultiple(of: 64) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        end.position = walk.lines.position
        keep(walk, at: end.position, filter)
        return end
    }

    /// Reads the journal from a position, without entries that cannot match.
    private func walk(from start: JournalPosition, _ bounds: EventBounds) throws -> JournalWalk {
        let lines = JournalReader(
            layout: store.layout, system: store.system, diagnostics: store.configuration.diagnostics, position: start,
            readsSummaries: bounds.isSelective)
        return try store.reading {
            try JournalWalk(
                lines: lines, indexes: store.indexes, storeID: store.id, bounds: bounds,
                states: SegmentStates(layout: store.layout, system: store.system), ends: { try segmentEnds(at: start) })
        }
    }

    /// The walk that ended the page before, if this one begins there.
    private func continuedWalk(from start: JournalPosition, _ filter: TelemetryEventFilter) -> JournalWalk? {
        defer { store.recent.walk = nil }
        guard let recent = store.recent.walk, recent.position == start, recent.filter == filter else { return nil }
        return recent.walk
    }

    /// Keeps what the next page needs, unless an index is used instead.
    private func keep(_ walk: consuming JournalWalk, at position: JournalPosition, _ filter: TelemetryEventFilter) {
        if !walk.isIndexed { store.recent.ends.keep(walk.ends, at: position) }
        if walk.rewind(to: position) { store.recent.walk = (walk, position, filter) }
    }

    /// The segment ends at that position; read from its file if they are not cached.
    private func segmentEnds(at position: JournalPosition) throws -> SegmentEnds {
        if let known = store.recent.ends.ends(at: position) { return known }
        var ends = SegmentEnds()
        var lines = JournalReader(
            layout: store.layout, system: store.system, diagnostics: nil,
            position: JournalPosition(file: position.file, offset: 0, events: 0))
        while position.offset > 0, let (line, at) = try lines.next(), at.file == position.file, at.offset < position.offset {
            if case .batch(let batch) = line { _ = ends.insert(batch) }
        }
        return ends
    }

    /// Whether retention removed the missing segment of a batch; otherwise its events were deleted.
    private func isRetired(_ batch: JournalBatch, _ known: inout [String: [String: Bool]]) throws -> Bool {
        if let known = known[batch.client]?[batch.segment] { return known }
        let isRetired = try store.reading {
            try RetiredSegments(
                client: batch.client, layout: store.layout, system: store.system,
                diagnostics: store.configuration.diagnostics
            ).contains(batch.segment)
        }
        known[batch.client, default: [:]][batch.segment] = isRetired
        return isRetired
    }
}
