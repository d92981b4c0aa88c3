import TelemetryModels

extension ClientStore {
    /// Does or undoes what was begun and not ended: what the journal tells of is done.
    package func recover(_ index: IdentityIndex) throws {
        var header = index.header
        switch header.state {
        case .clean: return
        case .appending:
            let (batch, isKnown) = try findLastBatch(header.append)
            if let batch {
                header.eventCount += batch.eventCount
                try shared.reader.read(batch) { event in
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

    /// After the machine's restart, parts of the index may be older than others: everything that is stored is noted again.
    package func recoverFromRestart(_ index: IdentityIndex) throws {
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

    /// Makes an index of what the segments hold, and sets the one that cannot be read aside.
    package func rebuildIndex() throws -> IdentityIndex {
        try truncateUnjournaledTails()
        var generator = SystemRandomNumberGenerator()
        var header = IdentityHeader(secret: (generator.next(), generator.next()), boot: system.boot)
        (header.append.journalFile, header.append.journalEnd) = (shared.journal.currentEnd.file, shared.journal.currentEnd.offset)
        _ = try segmentNames(cleaning: true)
        return try system.withTemporaryPath(in: path) { temporary in
            let rebuilt = try IdentityIndex(new: system.open(temporary, for: .create), header: header)
            try indexBatches(in: rebuilt, &header)
            try rebuilt.write(header)
            if isDurable { try rebuilt.file.synchronize() }
            let place = "\(path)/identity"
            if let old = try system.status(place), old.size > 0 {
                Quarantine(layout: shared.layout, system: system, diagnostics: shared.configuration.diagnostics).move(place)
            }
            try system.rename(temporary, to: place)
            if isDurable { try system.synchronizeDirectory(path) }
            return rebuilt
        }
    }

    /// Notes every event of every segment, and counts those that can be read.
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

    /// The client's segments; the next one's number is behind theirs.
    private func segments(numberedIn header: inout IdentityHeader, cleaning: Bool) throws(FileError) -> [String] {
        let names = try segmentNames(cleaning: cleaning)
        for name in names { header.nextSegment = max(header.nextSegment, Self.number(of: name) + 1) }
        return names
    }

    /// Notes and counts what can be read, whatever is damaged: batch by batch, as the journal tells, like whoever reads.
    package func indexBatches(in index: IdentityIndex, _ header: inout IdentityHeader) throws {
        var batches = try SegmentBatches(layout: shared.layout, system: system, client: name)
        try batches.update()
        header.eventCount = 0
        for segment in try segments(numberedIn: &header, cleaning: index.file.path.hasSuffix("/identity")) {
            for batch in batches.batches(of: segment, client: name) {
                try shared.reader.read(batch) { event in
                    header.eventCount += 1
                    _ = try index.stage(event.eventId)
                    return true
                }
            }
            try index.commit(into: &header)
        }
    }

    /// Counts what can be read, after damage was found. Nil where the journal is busy.
    package func recount() throws -> UInt64? {
        guard try shared.journal.begin() != nil else { return nil }
        defer { shared.journal.end() }
        return try withIndex { index in
            try removing(nil, index) {}
            return index.header.eventCount
        }
    }

    /// The batch that the journal tells of, if the append got as far; and whether the journal is there to tell at all.
    private func findLastBatch(_ append: IdentityHeader.Append) throws(FileError) -> (batch: JournalBatch?, isKnown: Bool) {
        guard let status = try system.status(shared.layout.journalFile(append.journalFile)),
            status.size >= append.journalOffset
        else { return (nil, false) }
        // A line that lacks only its end would come true later; ended now, it is whole or torn for good.
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

    /// Removes the ends of segments that the journal does not tell of, where it tells of the segment at all.
    private func truncateUnjournaledTails() throws(FileError) {
        let numbers = try system.list(shared.layout.journal).compactMap(StoreLayout.journalNumber)
        guard let oldest = numbers.min() else { return }
        var ends: [String: UInt64] = [:]
        var lines = JournalReader(
            layout: shared.layout, system: system, diagnostics: nil,
            position: JournalPosition(file: oldest, offset: 0, events: 0))
        while let (line, _) = try lines.next() {
            guard case .batch(let batch) = line, batch.client == name else { continue }
            // What an entry that is lost told of is not cut.
            if lines.takeGap() != nil { return }
            ends[batch.segment] = max(ends[batch.segment] ?? 0, batch.offset + batch.byteCount)
        }
        for (segment, end) in ends where try !isRewritten(segment) { try cut(segment, to: end) }
    }

    private func isRewritten(_ segment: String) throws(FileError) -> Bool {
        do {
            let first = try system.open(file(of: segment), for: .read).read(at: 0, count: SegmentForm.maximumBytes)
            return SegmentForm(ofSegment: first).layout != .asWritten
        } catch  where error.isNotFound { return true }
    }
}
