import TelemetryModels
import TelemetrySystem

/// Reads events against the journal's order, from its newest file.
struct BackwardReader {
    /// The number of entries that are read at once.
    private static let runLength = 64

    let store: OpenStore
    let cursors: EventCursors

    nonisolated(nonsending) func page(
        matching filter: TelemetryEventFilter, before cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventHistoryPage {
        let start = try cursors.start(after: cursor).position
        let end = cursor == nil ? nil : start
        let bounds = store.bounds(of: filter)
        var states = SegmentStates(layout: store.layout, system: store.system)
        var numbers = try store.reading { try cursors.files().sorted() }
        numbers.removeAll { $0 > end?.file ?? .max }
        var pageEnd = start
        var pieces: [[TelemetryEvent]] = []
        var count = 0
        for file in numbers.reversed() {
            let upper = file == end?.file ? end : nil
            let entries = try store.reading { try self.entries(of: file, before: upper, filter, bounds, &states) }
            if end == nil, pieces.isEmpty, file == numbers.last { pageEnd = entries.end }
            var rest = entries.positions(before: upper)
            while !rest.isEmpty {
                let run = rest.suffix(Self.runLength)
                rest.removeLast(run.count)
                for (at, batch) in try store.reading({ try self.batches(at: run) }).reversed() {
                    let last = upper.flatMap { $0.isPlace(at) ? $0.linesRead : nil } ?? .max
                    let found = try store.reading { try matching(filter, in: batch, upToLine: last) }
                    if found.count >= limit - count {
                        let surplus = found.count - (limit - count)
                        var start = at
                        if surplus > 0 { start.linesRead = try store.reading { try line(after: surplus, filter, in: batch) } }
                        pieces.append(Array(found.suffix(limit - count)))
                        return page(pieces, from: start, to: pageEnd)
                    }
                    count += found.count
                    if !found.isEmpty { pieces.append(found) }
                }
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        return page(pieces, from: nil, to: pageEnd)
    }

    private func page(
        _ pieces: [[TelemetryEvent]], from start: JournalPosition?, to end: JournalPosition
    ) -> TelemetryEventHistoryPage {
        TelemetryEventHistoryPage(
            events: pieces.reversed().flatMap(\.self), start: start.map(cursors.cursor), end: cursors.cursor(at: end),
            hasMore: start != nil)
    }

    /// The entries of a journal file, at least those before a position; by default all of them.
    private func entries(
        of file: UInt64, before end: JournalPosition?, _ filter: TelemetryEventFilter, _ bounds: EventBounds,
        _ states: inout SegmentStates
    ) throws -> JournalFileEntries {
        if let end, let recent = store.recent.entries, recent.filter == filter, recent.end.file == file,
            recent.end.offset >= end.offset
        {
            return recent
        }
        var entries = JournalFileEntries(filter: filter, end: JournalPosition(file: file, offset: 0, events: 0))
        try read(&entries, before: end, bounds, &states)
        store.recent.entries = entries
        return entries
    }

    private func read(
        _ entries: inout JournalFileEntries, before end: JournalPosition?, _ bounds: EventBounds, _ states: inout SegmentStates
    ) throws {
        let file = entries.end.file
        if let names = try store.indexes.index(of: file, with: .names, storeID: store.id), !bounds.mayMatch(names) {
            entries.end = JournalPosition(file: file, offset: names.range.journalSize, events: names.range.events)
            return
        }
        if let index = try store.indexes.index(of: file, with: [.names, .entries], storeID: store.id) {
            entries.end = JournalPosition(file: file, offset: index.range.journalSize, events: index.range.events)
            entries.positions = try index.entries(matching: bounds, &states).map {
                JournalPosition(file: file, offset: $0.offset, events: $0.events)
            }
            return
        }
        var lines = JournalReader(
            layout: store.layout, system: store.system, diagnostics: store.configuration.diagnostics, position: entries.end,
            readsSummaries: bounds.isSelective)
        defer { for (client, at) in lines.tornBatches { store.noteTornBatch(ofClient: client, at) } }
        var ends = SegmentEnds()
        while let (line, at) = try lines.next(), at.file == file, end.map({ at.isBefore($0) }) ?? true {
            // At the end of this file, the reader may already be in the next one.
            if lines.position.file == file { entries.end = lines.position }
            guard case .batch(let batch) = line, ends.insert(batch), bounds.client == nil || bounds.client == batch.client
            else { continue }
            if let summary = batch.summary, bounds.excludes(summary) { continue }
            entries.positions.append(at)
        }
    }

    /// The batches of entries of one file, which are in the order of their positions.
    private func batches(
        at positions: ArraySlice<JournalPosition>
    ) throws(FileError) -> [(at: JournalPosition, batch: JournalBatch)] {
        guard let first = positions.first else { return [] }
        var entries = EntryReader(file: first.file, layout: store.layout, system: store.system, readsSummaries: false)
        var found: [(at: JournalPosition, batch: JournalBatch)] = []
        for at in positions {
            if let batch = try entries.batch(at: at.offset) { found.append((at, batch)) }
        }
        return found
    }

    private func matching(
        _ filter: TelemetryEventFilter, in batch: JournalBatch, upToLine end: UInt64
    ) throws -> [TelemetryEvent] {
        var found: [TelemetryEvent] = []
        try store.segments.read(batch, matching: filter, upToLine: end) { event in
            found.append(consume event)
            return true
        }
        return found
    }

    /// The number of the batch's lines up to its matching event number `count`.
    private func line(after count: Int, _ filter: TelemetryEventFilter, in batch: JournalBatch) throws -> UInt64 {
        var rest = count
        let extent = try store.segments.read(batch, matching: filter) { _ in
            rest -= 1
            return rest > 0
        }
        if case .stopped(let lines) = extent { return lines }
        return batch.lineCount
    }
}
