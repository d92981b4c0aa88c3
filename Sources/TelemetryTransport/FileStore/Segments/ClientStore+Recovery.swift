import TelemetryModels
import TelemetrySystem

extension ClientStore {
    /// Completes or undoes an interrupted operation: an append with a journal entry is completed, one without is undone.
    func recover(_ index: IdentityIndex) throws {
        var header = index.header
        switch header.state {
        case .clean: return
        case .appending:
            let (batch, isKnown) = try findLastBatch(header.append)
            if let batch {
                header.eventCount += batch.eventCount
                try shared.reader.read(batch, matching: .all) { event in
                    _ = try index.stage(event.eventId)
                    return true
                }
                try index.commit(into: &header)
            } else if isKnown {
                try cut(header.append.segment, to: header.append.offset)
            } else {
                try indexBatches(in: index, &header)
            }
        case .removing: try indexBatches(in: index, &header)
        }
        try index.sumSlots(into: &header)
        header.state = .clean
        try index.write(header)
    }

    /// Indexes all stored events again: after a system restart, parts of the index may be out of date.
    func recoverFromRestart(_ index: IdentityIndex) throws {
        var header = index.header
        if header.append.offset > 0 {
            let (batch, isKnown) = try findLastBatch(header.append)
            if batch == nil, isKnown { try cut(header.append.segment, to: header.append.offset) }
        }
        try indexSegments(in: index, &header)
        try index.sumSlots(into: &header)
        header.boot = system.boot
        try index.write(header)
    }

    /// Builds an index from the segments, and moves the one that cannot be read to quarantine.
    func rebuildIndex() throws -> IdentityIndex {
        // A new client has no segments, and the journal need not be read for it.
        let isNew = try segmentNames(cleaning: true).isEmpty
        if !isNew { try truncateUnjournaledTails() }
        var generator = SystemRandomNumberGenerator()
        var header = IdentityHeader(secret: (generator.next(), generator.next()), boot: system.boot)
        (header.append.journalFile, header.append.journalEnd) = (shared.journal.currentEnd.file, shared.journal.currentEnd.offset)
        return try system.withTemporaryPath(in: path) { temporary in
            let rebuilt = try IdentityIndex(new: system.open(temporary, for: .create), header: header)
            if !isNew { try indexBatches(in: rebuilt, &header) }
            try rebuilt.write(header)
            if isDurable { try rebuilt.file.synchronize() }
            if let old = try system.status(indexPath), old.size > 0 {
                Quarantine(layout: shared.layout, system: system, diagnostics: shared.configuration.diagnostics).move(indexPath)
            }
            try system.rename(temporary, to: indexPath)
            if isDurable { try system.synchronizeDirectory(path) }
            return rebuilt
        }
    }

    /// Indexes and counts the events of all segments. If a line cannot be read, counts with ``indexBatches(in:_:)`` instead.
    private func indexSegments(in index: IdentityIndex, _ header: inout IdentityHeader) throws {
        header.eventCount = 0
        var isReadable = true
        for segment in try segments(numberedIn: &header, cleaning: true) {
            let isSegmentReadable = try forEachEvent(of: segment) { event in
                header.eventCount += 1
                _ = try index.stage(event.eventId)
            }
            isReadable = isReadable && isSegmentReadable
            try index.commit(into: &header)
        }
        if !isReadable { try indexBatches(in: index, &header) }
    }

    /// The client's segments. Sets the header's next segment number to a higher one than theirs.
    private func segments(numberedIn header: inout IdentityHeader, cleaning: Bool) throws(FileError) -> [String] {
        let names = try segmentNames(cleaning: cleaning)
        for name in names { header.nextSegment = max(header.nextSegment, Self.number(of: name) + 1) }
        return names
    }

    /// Indexes and counts the readable events of the batches in the journal. These are the events that readers get.
    func indexBatches(in index: IdentityIndex, _ header: inout IdentityHeader) throws {
        var batches = try SegmentBatches(layout: shared.layout, system: system, client: name)
        try batches.update()
        header.eventCount = 0
        for segment in try segments(numberedIn: &header, cleaning: index.file.path == indexPath) {
            for batch in batches.batches(of: segment, client: name) {
                try shared.reader.read(batch, matching: .all) { event in
                    header.eventCount += 1
                    _ = try index.stage(event.eventId)
                    return true
                }
            }
            try index.commit(into: &header)
        }
    }

    /// Counts the readable events again, after damage was found. Returns nil if the journal is busy.
    func recount() throws -> UInt64? {
        guard try shared.journal.begin() != nil else { return nil }
        defer { shared.journal.end() }
        return try withIndex { index in
            try removing(nil, index) {}
            return index.header.eventCount
        }
    }

    /// The journal entry of an append, if there is one, and whether the journal is complete up to the append.
    private func findLastBatch(_ append: IdentityHeader.Append) throws(FileError) -> (batch: JournalBatch?, isKnown: Bool) {
        guard let status = try system.status(shared.layout.journalFile(append.journalFile)),
            status.size >= append.journalOffset
        else { return (nil, false) }
        // Ends an incomplete last line: if only its line feed is missing, a later write would make it valid.
        try shared.journal.write([])
        var lines = JournalReader(
            layout: shared.layout, system: system, diagnostics: nil,
            position: JournalPosition(file: append.journalFile, offset: append.journalOffset, events: 0))
        while let (line, _) = try lines.next() {
            if case .batch(let batch) = line, batch.client == name, batch.segment == append.segment,
                batch.offset == append.offset
            {
                return (batch, true)
            }
        }
        return (nil, true)
    }

    private func cut(_ segment: String, to size: UInt64) throws(FileError) {
        do {
            let file = try system.open(file(of: segment), for: .write)
            if try file.status().size > size { try file.truncate(to: size) }
        } catch  where error.isNotFound {}
    }

    /// Truncates segments to the end of their last journal entry. Segments without an entry stay unchanged.
    private func truncateUnjournaledTails() throws(FileError) {
        let numbers = try system.list(shared.layout.journal).compactMap(StoreLayout.journalNumber)
        guard let oldest = numbers.min() else { return }
        var ends: [String: UInt64] = [:]
        var lines = JournalReader(
            layout: shared.layout, system: system, diagnostics: nil,
            position: JournalPosition(file: oldest, offset: 0, events: 0))
        while let (line, _) = try lines.next() {
            guard case .batch(let batch) = line, batch.client == name else { continue }
            // The lines of a lost entry must not be removed.
            if lines.takeGap() != nil { return }
            ends[batch.segment] = max(ends[batch.segment] ?? 0, batch.offset + batch.byteCount)
        }
        for (segment, end) in ends where try !isRewritten(segment) { try cut(segment, to: end) }
    }

    private func isRewritten(_ segment: String) throws(FileError) -> Bool {
        do {
            let first = try system.open(file(of: segment), for: .read).read(at: 0, count: SegmentForm.maximumBytes)
            return SegmentForm(ofSegment: first) != .asWritten
        } catch  where error.isNotFound { return true }
    }
}
