import TelemetryModels
import TelemetrySystem

extension FileTelemetryTransport {
    /// The end of reading, and the number of events that retention had removed.
    struct ScanEnd {
        var position: JournalPosition
        /// Whether more events may be available now.
        var hasMore: Bool
        var missed: UInt64 = 0
    }

    /// Calls `body` for each event that matches, in the journal's order, until it returns false.
    func scan(
        _ filter: TelemetryEventFilter, from start: JournalPosition, _ body: (consuming TelemetryEvent) -> Bool
    ) async throws -> ScanEnd {
        let client = filter.clientId.map { directoryName(ofClient: $0) }
        var walk = try continuedWalk(from: start, filter) ?? walk(from: start, EventBounds(filter, client: client))
        var end = ScanEnd(position: start, hasMore: false)
        defer { for (client, at) in walk.lines.tornBatches { noteTornBatch(ofClient: client, at) } }
        var wantsMore = true
        var batches = 0
        var gone: [String: [String: Bool]] = [:]
        while let step = try reading({ try walk.next() }) {
            let at = step.at
            if let gap = walk.takeGap() {
                let passed = if case .head(_, let events) = step.line { events } else { gap.events }
                let events = try skipped(from: gap, to: JournalPosition(file: at.file, offset: 0, events: passed))
                end.missed = end.missed.addingClamped(events)
            }
            guard case .batch(let batch) = step.line else { continue }
            if !wantsMore {
                (end.position, end.hasMore) = (at, true)
                keep(walk, at: end.position, filter)
                return end
            }
            guard step.isIndexed || walk.ends.insert(batch) else {
                report(
                    .corruptFile, "\(layout.journalFile(at.file)) has a duplicate entry at offset \(at.offset); it is skipped.")
                continue
            }
            if let client, batch.client != client { continue }
            let first = at.isPlace(start) ? start.linesRead : 0
            let read = try reading {
                try segments.read(batch, fromLine: first) { event in
                    if filter.matches(event) { wantsMore = body(consume event) }
                    return wantsMore
                }
            }
            if case .stopped(let lines) = read {
                (end.position, end.hasMore) = (at, true)
                end.position.linesRead = lines
                if !step.isIndexed { walk.ends.restart(batch) }
                keep(walk, at: end.position, filter)
                return end
            }
            if read == .gone, try isRetired(batch, &gone) {
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
    func walk(from start: JournalPosition, _ bounds: EventBounds) throws -> JournalWalk {
        let lines = JournalReader(
            layout: layout, system: system, diagnostics: configuration.diagnostics, position: start,
            readsSummaries: bounds.isSelective)
        return try reading {
            try JournalWalk(
                lines: lines, indexes: indexes, storeID: storeID, bounds: bounds,
                states: SegmentStates(layout: layout, system: system), ends: { try segmentEnds(at: start) })
        }
    }

    /// The walk that ended the page before, if this one begins there.
    private func continuedWalk(from start: JournalPosition, _ filter: TelemetryEventFilter) -> JournalWalk? {
        defer { recentWalk = nil }
        guard let recent = recentWalk, recent.position == start, recent.filter == filter else { return nil }
        return recent.walk
    }

    /// Keeps what the next page needs, unless an index is used instead.
    private func keep(_ walk: consuming JournalWalk, at position: JournalPosition, _ filter: TelemetryEventFilter) {
        if !walk.isIndexed { recentEnds.keep(walk.ends, at: position) }
        if walk.rewind(to: position) { recentWalk = (walk, position, filter) }
    }

    /// Causes a recount: the entry's events are not read, but were counted when they were stored.
    func noteTornBatch(ofClient name: String, _ position: JournalPosition) {
        let isClient = StoreLayout.isFileName(name) && (try? system.status(layout.client(directory: name))) != nil
        let names = isClient ? [name] : (try? system.directories(in: layout.events)) ?? []
        for name in names { segments.noteDamage(ofClient: name, at: "\(position.file).log:\(position.offset)") }
    }

    /// The segment ends at that position; read from its file if they are not cached.
    private func segmentEnds(at position: JournalPosition) throws -> SegmentEnds {
        if let known = recentEnds.ends(at: position) { return known }
        var ends = SegmentEnds()
        var lines = JournalReader(
            layout: layout, system: system, diagnostics: nil,
            position: JournalPosition(file: position.file, offset: 0, events: 0))
        while position.offset > 0, let (line, at) = try reading({ try lines.next() }), at.file == position.file,
            at.offset < position.offset
        {
            if case .batch(let batch) = line { _ = ends.insert(batch) }
        }
        return ends
    }

    /// Whether retention removed the missing segment of a batch; otherwise its events were deleted.
    private func isRetired(_ batch: JournalBatch, _ known: inout [String: [String: Bool]]) throws -> Bool {
        if let known = known[batch.client]?[batch.segment] { return known }
        let isRetired = try reading {
            try RetiredSegments(
                client: batch.client, layout: layout, system: system, diagnostics: configuration.diagnostics
            ).contains(batch.segment)
        }
        known[batch.client, default: [:]][batch.segment] = isRetired
        return isRetired
    }

    /// The position to read from, and how many events retention removed between the cursor and it.
    func startingPoint(_ cursor: TelemetryCursor?) throws -> (position: JournalPosition, missed: UInt64) {
        if let newest = try system.list(layout.journal).compactMap(StoreLayout.journalNumber).max() {
            try identify(journal: newest)
        }
        guard let cursor, !formerStoreIDs.contains(where: { JournalPosition(text: cursor.rawValue, ofStore: $0) != nil }) else {
            let start = try oldest(from: 1)
            if start.file == 1 || cursor != nil { return (start, 0) }
            // Events removed by retention are not missing for a reader without a cursor.
            let lost = try skipped(from: JournalPosition(file: 1, offset: 0, events: 0), to: start, lostOnly: true)
            return (start, lost)
        }
        guard var position = JournalPosition(text: cursor.rawValue, ofStore: storeID) else {
            throw TelemetryTransportError.invalidArgument("\"\(cursor.rawValue)\" is not a valid cursor of this store.")
        }
        guard let status = try system.status(layout.journalFile(position.file)) else {
            let start = try oldest(from: position.file)
            return (start, try skipped(from: position, to: start))
        }
        if position.offset > status.size {
            report(.corruptFile, "\(layout.journalFile(position.file)) was truncated; reading continues at its end.")
            position.offset = status.size
            position.linesRead = 0
        }
        return (position, 0)
    }

    /// How many events the missing files contained; files not removed by the store are reported.
    func skipped(from gap: JournalPosition, to next: JournalPosition, lostOnly: Bool = false) throws -> UInt64 {
        let missing = try reading { try ledger.missing(since: gap, until: next) }
        if missing.isLost {
            for client in try reading({ try system.directories(in: layout.events) }) {
                segments.noteDamage(ofClient: client, at: "\(gap.file).log")
            }
            report(
                .corruptFile,
                "\(layout.journalFile(gap.file)) is missing; reading continues at \(layout.journalFile(next.file)), "
                    + "\(missing.events) events later.")
        }
        return lostOnly && !missing.isLost ? 0 : missing.events
    }

    /// Adopts the journal's store identifier if it changed: the directory may have been removed and created again.
    private func identify(journal file: UInt64) throws {
        if journalWitness.isSame(file) { return }
        journalWitness.look(at: file, layout, system)
        recentEnds = RecentSegmentEnds()
        recentWalk = nil
        recentEntries = nil
        if let id = try head(of: file).storeID { adopt(storeID: id) }
    }

    /// The beginning of the oldest journal file with that number or a higher one; if there is none, of the oldest file.
    func oldest(from number: UInt64) throws(FileError) -> JournalPosition {
        let files = try system.list(layout.journal).compactMap(StoreLayout.journalNumber)
        guard let oldest = files.filter({ $0 >= number }).min() ?? files.min() else {
            return JournalPosition(file: 1, offset: 0, events: 0)
        }
        return JournalPosition(file: oldest, offset: 0, events: try head(of: oldest).events)
    }

    private func head(of file: UInt64) throws(FileError) -> (storeID: String?, events: UInt64) {
        var reader = JournalReader(
            layout: layout, system: system, diagnostics: nil, position: JournalPosition(file: file, offset: 0, events: 0))
        guard let (line, _) = try reader.next(), case .head(let id, let events) = line else { return (nil, 0) }
        return (id, events)
    }
}
