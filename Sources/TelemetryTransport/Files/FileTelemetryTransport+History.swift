import TelemetryModels
import TelemetryStorage

extension FileTelemetryTransport: TelemetryEventHistory {
    /// The entries of a journal file that may have matching events, in order.
    private struct FileEntries {
        var all: [(batch: JournalBatch?, at: JournalPosition)] = []
        /// The position after the last one that was read.
        var end: JournalPosition
    }

    /// Reads the newest events before a cursor, from the journal's newest file backwards.
    public func events(
        matching filter: TelemetryEventFilter, before cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventHistoryPage {
        try NameRules.check(limit: limit)
        let oldest = try reading { try startingPoint(nil).position }
        let bounds = EventBounds(filter, client: filter.clientId.map { directoryName(ofClient: $0) })
        var states = SegmentStates(layout: layout, system: system)
        let end = try cursor.map { try startingPoint($0).position }
        var numbers = try system.list(layout.journal).compactMap(StoreLayout.journalNumber).sorted()
        numbers.removeAll { $0 > end?.file ?? .max }
        var pageEnd = end ?? oldest
        var pieces: [[TelemetryEvent]] = []
        var count = 0
        for file in numbers.reversed() {
            let upper = file == end?.file ? end : nil
            let entries = try reading { try self.entries(of: file, before: upper, bounds, &states) }
            if end == nil, pieces.isEmpty, file == numbers.last { pageEnd = entries.end }
            for (place, entry) in entries.all.reversed().enumerated() {
                guard let batch = try entry.batch ?? reading({ try self.batch(at: entry.at) }) else { continue }
                let isDivided = upper.map { $0.isPlace(entry.at) } ?? false
                let last = isDivided ? upper?.linesRead ?? 0 : .max
                let found = try reading { try matching(filter, in: batch, upToLine: last) }
                if found.count >= limit - count {
                    let surplus = found.count - (limit - count)
                    var start = entry.at
                    if surplus > 0 { start.linesRead = try reading { try line(after: surplus, filter, in: batch) } }
                    pieces.append(Array(found.suffix(limit - count)))
                    return page(pieces, from: start, to: pageEnd)
                }
                count += found.count
                if !found.isEmpty { pieces.append(found) }
                if place % 64 == 63 {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        }
        return page(pieces, from: nil, to: pageEnd)
    }

    private func page(
        _ pieces: [[TelemetryEvent]], from start: JournalPosition?, to end: JournalPosition
    ) -> TelemetryEventHistoryPage {
        TelemetryEventHistoryPage(
            events: pieces.reversed().flatMap(\.self), start: start.map { TelemetryCursor(rawValue: $0.text(ofStore: storeID)) },
            end: TelemetryCursor(rawValue: end.text(ofStore: storeID)), hasMore: start != nil)
    }

    /// - Parameter end: The position before which entries are wanted; nil for the whole file.
    private func entries(
        of file: UInt64, before end: JournalPosition?, _ bounds: EventBounds, _ states: inout SegmentStates
    ) throws -> FileEntries {
        func isWanted(_ at: JournalPosition) -> Bool {
            end.map { at.offset < $0.offset || at.offset == $0.offset && $0.linesRead > 0 } ?? true
        }
        let start = JournalPosition(file: file, offset: 0, events: 0)
        if let names = try indexes.index(of: file, with: .names, storeID: storeID), !bounds.mayMatch(names) {
            return FileEntries(end: JournalPosition(file: file, offset: names.range.journalSize, events: names.range.events))
        }
        if let index = try indexes.index(of: file, with: [.names, .entries], storeID: storeID) {
            var entries = FileEntries(
                end: JournalPosition(file: file, offset: index.range.journalSize, events: index.range.events))
            for entry in try index.entries(matching: bounds, &states) {
                let at = JournalPosition(file: file, offset: entry.offset, events: entry.events)
                if isWanted(at) { entries.all.append((nil, at)) }
            }
            return entries
        }
        var lines = JournalReader(
            layout: layout, system: system, diagnostics: configuration.diagnostics, position: start,
            readsSummaries: bounds.isSelective)
        defer { for (client, at) in lines.tornBatches { noteTornBatch(ofClient: client, at) } }
        var entries = FileEntries(end: start)
        var ends = SegmentEnds()
        while let (line, at) = try lines.next(), at.file == file, isWanted(at) {
            // At the end of this file, the reader may already be in the next one.
            if lines.position.file == file { entries.end = lines.position }
            guard case .batch(let batch) = line, ends.insert(batch), bounds.client == nil || bounds.client == batch.client
            else { continue }
            if let summary = batch.summary, bounds.excludes(summary) { continue }
            entries.all.append((batch, at))
        }
        return entries
    }

    private func batch(at position: JournalPosition) throws(FileError) -> JournalBatch? {
        var lines = JournalReader(layout: layout, system: system, diagnostics: nil, position: position)
        // The reader passes over an invalid line to the next one.
        guard let (line, at) = try lines.next(), at.file == position.file, at.offset == position.offset,
            case .batch(let batch) = line
        else { return nil }
        return batch
    }

    private func matching(
        _ filter: TelemetryEventFilter, in batch: JournalBatch, upToLine end: UInt64
    ) throws -> [TelemetryEvent] {
        var found: [TelemetryEvent] = []
        try segments.read(batch, upToLine: end) { event in
            if filter.matches(event) { found.append(consume event) }
            return true
        }
        return found
    }

    /// The number of the batch's lines up to its matching event number `count`.
    private func line(after count: Int, _ filter: TelemetryEventFilter, in batch: JournalBatch) throws -> UInt64 {
        var rest = count
        let extent = try segments.read(batch) { event in
            if filter.matches(event) { rest -= 1 }
            return rest > 0
        }
        if case .stopped(let lines) = extent { return lines }
        return batch.lineCount
    }
}
