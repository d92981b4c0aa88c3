import TelemetryModels
import TelemetrySystem

extension FileTelemetryTransport: TelemetryEventCounting {
    /// The numbers of the stored events that match, from the summaries in the journal and its indexes.
    ///
    /// Reads the events of batches without a summary, of segments from which events were deleted, and of batches that a
    /// condition divides. Damage to other events is not noticed.
    public func summarizedCounts(matching filter: TelemetryEventFilter) async throws -> [TelemetryEventCount] {
        let client = filter.clientId.map { directoryName(ofClient: $0) }
        var counting = SummaryCounting(
            filter: filter, bounds: EventBounds(filter, client: client),
            source: BatchSource(segments: segments, layout: layout, system: system),
            states: SegmentStates(layout: layout, system: system))
        var position = try reading { try startingPoint(nil).position }
        var ends = SegmentEnds()
        while let file = try nextFile(&position) {
            if let index = try index(of: file, counting.bounds), ends.advance(over: index) {
                if counting.bounds.mayMatch(index) {
                    try reading { try counting.add(index, file) }
                }
                position.events = index.range.events
            } else {
                var isAtEnd = true
                var lines = JournalReader(
                    layout: layout, system: system, diagnostics: configuration.diagnostics, position: position,
                    readsSummaries: true)
                defer { for (client, at) in lines.tornBatches { noteTornBatch(ofClient: client, at) } }
                while let (line, at) = try reading({ try lines.next() }) {
                    guard at.file == file else {
                        isAtEnd = false
                        break
                    }
                    position.events = lines.position.events
                    guard case .batch(let batch) = line, ends.insert(batch) else { continue }
                    try reading { try counting.add(batch) }
                }
                // A later file may be created now, but what is appended to this one before that was not counted.
                if isAtEnd { break }
            }
            position.file = file + 1
            try Task.checkCancellation()
            await Task.yield()
        }
        return counting.table.counts
    }

    /// The index of a completed journal file, whole if the file may have matching events.
    private func index(of file: UInt64, _ bounds: EventBounds) throws -> JournalIndex? {
        try reading {
            guard let names = try indexes.index(of: file, with: .names, storeID: storeID), bounds.mayMatch(names) else {
                return try indexes.index(of: file, with: .names, storeID: storeID)
            }
            return try indexes.index(of: file, with: .all, storeID: storeID)
        }
    }

    /// The number of the journal file at the position, or of the next existing one; nil at the end.
    func nextFile(_ position: inout JournalPosition) throws -> UInt64? {
        if try system.status(layout.journalFile(position.file)) != nil { return position.file }
        let later = try system.list(layout.journal).compactMap(StoreLayout.journalNumber).filter { $0 > position.file }
        guard let next = later.min() else { return nil }
        _ = try skipped(from: position, to: oldest(from: next))
        position.file = next
        return next
    }
}
