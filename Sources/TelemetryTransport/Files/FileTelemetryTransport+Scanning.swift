import TelemetryModels

extension FileTelemetryTransport {
    /// Where reading ended, and what could not be read because it had been let go of.
    struct ScanEnd {
        var position: JournalPosition
        /// Whether there may be more to read at once.
        var hasMore: Bool
        var missed: UInt64 = 0
    }

    /// Calls `body` for each event that matches, in the journal's order, until it returns false.
    func scan(
        _ filter: TelemetryEventFilter, from start: JournalPosition, _ body: (TelemetryEvent) -> Bool
    ) async throws -> ScanEnd {
        let client = filter.clientId.map { directoryName(ofClient: $0) }
        var lines = JournalReader(
            layout: layout, system: system, diagnostics: configuration.diagnostics, position: start)
        var end = ScanEnd(position: start, hasMore: false)
        var linesRead = start.linesRead
        var wantsMore = true
        var batches = 0
        while let (line, at) = try reading({ try lines.next() }) {
            guard case .batch(let batch) = line else { continue }
            if !wantsMore {
                (end.position, end.hasMore) = (at, true)
                return end
            }
            let first = linesRead
            linesRead = 0
            if let client, batch.client != client { continue }
            let read = try reading {
                try segments.read(batch, fromLine: first) { event in
                    if filter.matches(event) { wantsMore = body(event) }
                    return wantsMore
                }
            }
            if let read, read < batch.lineCount {
                (end.position, end.hasMore) = (at, true)
                end.position.linesRead = read
                return end
            }
            if read == nil { end.missed += try missed(batch, afterLine: first) }
            batches += 1
            if batches.isMultiple(of: 64) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        end.position = lines.position
        return end
    }

    /// How many events of a batch whose segment is gone were let go of; none where somebody deleted them.
    private func missed(_ batch: EventBatch, afterLine first: UInt64) throws -> UInt64 {
        let isRetired = try reading {
            try RetiredSegments(client: batch.client, layout: layout, system: system).contains(batch.segment)
        }
        return isRetired ? batch.eventCount - min(first, batch.eventCount) : 0
    }

    /// Where to read from, and how many events were let go of between the cursor and that place.
    func startingPoint(_ cursor: TelemetryCursor?) throws -> (position: JournalPosition, missed: UInt64) {
        let position = try cursor.map { cursor in
            guard let position = JournalPosition(cursor, ofStore: storeID) else {
                throw TelemetryTransportError.invalidArgument("\"\(cursor.rawValue)\" is no cursor of this store.")
            }
            return position
        }
        if var position, let status = try system.status(layout.journalFile(position.file)) {
            if position.offset > status.size {
                tell(.corruptFile, "\(layout.journalFile(position.file)) is shorter than it was; reading goes on at its end.")
                position.offset = status.size
                position.linesRead = 0
            }
            return (position, 0)
        }
        let files = try system.list(layout.journal).compactMap(StoreLayout.journalNumber)
        guard let oldest = files.filter({ $0 >= position?.file ?? 1 }).min() ?? files.max() else {
            return (JournalPosition(file: 1, offset: 0, events: 0), 0)
        }
        let start = try head(of: oldest)
        guard let position else { return (start, 0) }
        return (start, try JournalLedger(layout: layout, system: system).retired(since: position, oldest: start))
    }

    private func head(of file: UInt64) throws(FileError) -> JournalPosition {
        var reader = JournalReader(
            layout: layout, system: system, diagnostics: nil, position: JournalPosition(file: file, offset: 0, events: 0))
        var start = reader.position
        if let (line, _) = try reader.next(), case .head(_, let events) = line { start.events = events }
        return start
    }
}
