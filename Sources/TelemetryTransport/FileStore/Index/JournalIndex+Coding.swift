import TelemetryModels
import TelemetrySystem

/// The form of an index in its file.
extension JournalIndex {
    static let cellBytes = 11 * 8
    static let entryBytes = 6 * 8

    /// The three parts of the file.
    func encoded() -> [ByteBuffer] {
        let (names, cells, entries) = (ByteBuffer(), ByteBuffer(), ByteBuffer(capacity: self.entries.count * Self.entryBytes))
        appendNames(to: names)
        var places: [String: [Int]] = [:]
        for (place, name) in scenarios.enumerated() { places[name, default: []].append(place) }
        for cell in self.cells {
            let counts = cell.counts
            let scenario = counts.scenario.map { name in
                places[name]?.first { scenarios[$0].isIdentical(to: name) } ?? 0
            }
            for word in [
                UInt64(cell.segment), UInt64(cell.session), cell.offset, UInt64(scenario.map { $0 + 1 } ?? 0),
                counts.level == .info ? 0 : 1, counts.count, counts.first, counts.last, counts.lowestSequence,
                counts.highestSequence, counts.dropped,
            ] { cells.append(word: word) }
        }
        for entry in self.entries {
            entries.append(word: entry.offset)
            entries.append(word: entry.events)
            entries.append(word: entry.first)
            entries.append(word: entry.last)
            entries.append(word: UInt64(entry.segment) | UInt64(entry.session) << 32)
            entries.append(word: UInt64(entry.scenarios) | UInt64(entry.levels) << 32)
        }
        return [names, cells, entries]
    }

    private func appendNames(to buffer: ByteBuffer) {
        buffer.append(word: UInt64(clients.count))
        for client in clients { buffer.append(counted: client) }
        buffer.append(word: UInt64(segments.count))
        for segment in segments {
            for word in [UInt64(segment.client), segment.start, segment.end, segment.isPartial ? 1 : 0] {
                buffer.append(word: word)
            }
            buffer.append(counted: segment.name)
        }
        buffer.append(word: UInt64(sessions.count))
        for session in sessions {
            buffer.append(word: UInt64(session.client))
            buffer.append(counted: session.id)
        }
        buffer.append(word: UInt64(scenarios.count))
        for scenario in scenarios { buffer.append(counted: scenario) }
    }

    /// Reads the first part. False for invalid bytes.
    mutating func readNames(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var words = IndexWords(bytes)
        guard let clientCount = words.number(below: bytes.count + 1) else { return false }
        for _ in 0..<clientCount {
            guard let client = words.text() else { return false }
            clients.append(client)
        }
        guard let segmentCount = words.number(below: bytes.count + 1) else { return false }
        for _ in 0..<segmentCount {
            guard let client = words.number(below: clientCount), let start = words.next(), let end = words.next(),
                let isPartial = words.number(below: 2), let name = words.text(), StoreLayout.isFileName(name)
            else { return false }
            segments.append(Segment(client: client, name: name, start: start, end: end, isPartial: isPartial == 1))
        }
        guard let sessionCount = words.number(below: bytes.count + 1) else { return false }
        for _ in 0..<sessionCount {
            guard let client = words.number(below: clientCount), let id = words.text()
            else { return false }
            sessions.append(Session(client: client, id: id))
        }
        guard let scenarioCount = words.number(below: bytes.count + 1) else { return false }
        for _ in 0..<scenarioCount {
            guard let scenario = words.text() else { return false }
            scenarios.append(scenario)
        }
        return words.isAtEnd && clients.allSatisfy(StoreLayout.isFileName)
    }

    /// Reads the second part, after the first. False for invalid bytes.
    mutating func readCells(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count.isMultiple(of: Self.cellBytes) else { return false }
        var words = IndexWords(bytes)
        cells.reserveCapacity(bytes.count / Self.cellBytes)
        while !words.isAtEnd {
            guard let segment = words.number(below: segments.count), let session = words.number(below: sessions.count),
                let offset = words.next(), let scenario = words.number(below: scenarios.count + 1),
                let level = words.number(below: 2),
                let count = words.next(), let first = words.next(), let last = words.next(), let lowest = words.next(),
                let highest = words.next(), let dropped = words.next(), first <= last, lowest <= highest
            else { return false }
            cells.append(
                Cell(
                    segment: segment, session: session, offset: offset,
                    counts: BatchSummary.Cell(
                        scenario: scenario > 0 ? scenarios[scenario - 1] : nil, level: level == 0 ? .info : .diagnostic,
                        count: count, first: first, last: last, lowestSequence: lowest, highestSequence: highest,
                        dropped: dropped)))
        }
        return true
    }

    /// Reads the third part, after the first. False for invalid bytes.
    mutating func readEntries(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count.isMultiple(of: Self.entryBytes) else { return false }
        var words = IndexWords(bytes)
        entries.reserveCapacity(bytes.count / Self.entryBytes)
        var previous: UInt64?
        while let offset = words.next(), let events = words.next(), let first = words.next(), let last = words.next(),
            let places = words.next(), let bits = words.next()
        {
            let entry = Entry(
                offset: offset, events: events, first: first, last: last, segment: UInt32(truncatingIfNeeded: places),
                session: UInt32(truncatingIfNeeded: places >> 32), scenarios: UInt32(truncatingIfNeeded: bits),
                levels: UInt32(truncatingIfNeeded: bits >> 32))
            guard entry.segment < segments.count, entry.session == Entry.unknown || entry.session < sessions.count,
                offset < range.journalSize, previous.map({ $0 < offset }) ?? true
            else { return false }
            previous = offset
            entries.append(entry)
        }
        return true
    }
}
