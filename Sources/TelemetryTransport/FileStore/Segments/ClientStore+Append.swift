import TelemetryModels
import TelemetrySystem

/// The events of one append to a client.
enum ClientEvents {
    case events(ArraySlice<TelemetryEvent>)
    case encoded(any EncodedEvents)
}

extension ClientStore {
    /// Stores the events that are new. Returns false and stores nothing if the journal is busy.
    func append(_ events: ClientEvents, with encoder: inout EventLineEncoder) throws -> Bool {
        guard let tail = try shared.journal.begin() else { return false }
        defer { shared.journal.end() }
        try withIndex { try append(events, $0, tail, &encoder) }
        return true
    }

    private func append(
        _ events: ClientEvents, _ index: IdentityIndex, _ tail: JournalPosition, _ encoder: inout EventLineEncoder
    ) throws {
        var header = index.header
        var target: (segment: SegmentWriter, file: OpenFile)?
        var count: UInt64 = 0
        var summary = BatchSummaryBuilder()
        let maximum = shared.configuration.effectiveEventBytes
        /// Prepares the encoder for the first new event, and returns the size before the event.
        func begin() throws -> Int {
            if target == nil {
                let found = try usableSegment(&header)
                found.segment.begin(&encoder)
                target = found
            }
            return encoder.countWithoutTables
        }
        func end(_ isEncoded: Bool, from start: Int, _ eventId: @autoclosure () -> String) throws {
            guard isEncoded else { throw EventLimits.dateOutOfRange(eventId()) }
            let size = encoder.countWithoutTables - start
            if size > maximum { throw EventLimits.tooLarge(eventId(), size, of: maximum) }
            count += 1
        }
        do {
            switch events {
            case .events(let events):
                try events.withUnsafeBufferPointer { events in
                    // Accessed in place: copying an event takes as long as writing it.
                    guard let first = events.baseAddress else { return }
                    for event in first..<first + events.count where try index.stage(event.pointee.eventId) {
                        let start = try begin()
                        let isEncoded = event.withFields { fields in
                            let time = encoder.append(fields, of: event)
                            summary.add(fields, ofSession: event.pointee.sessionId, at: time)
                            return time != nil
                        }
                        try end(isEncoded, from: start, event.pointee.eventId)
                    }
                }
            case .encoded(let events):
                let origin = events.origin
                try events.forEach { event in
                    guard try index.stage(event, of: origin.sessionId) else { return }
                    let start = try begin()
                    let time = encoder.append(event, of: origin, isFirst: count == 0)
                    summary.add(event, ofSession: origin.sessionId, at: time)
                    try end(time != nil, from: start, event.identifier(in: origin.sessionId))
                }
            }
        } catch {
            if let target { removeIfUnused(target.segment) }
            throw error
        }
        guard let (segment, file) = target else { return index.discard() }
        // If a later step fails, the segment is abandoned and a new one begun.
        self.segment = nil
        header.state = .appending
        header.append = .init(
            segment: segment.name, offset: segment.size, journalFile: tail.file, journalOffset: tail.offset)
        try index.write(header)
        do {
            if isDurable { try index.file.synchronize() }
            try file.write(encoder.buffer.bytes, at: segment.size)
            if isDurable { try file.synchronize() }
            try writeJournalEntry(for: encoder, in: segment, eventCount: count, summary: summary.summary)
            header.append.journalEnd = shared.journal.currentEnd.offset
            header.eventCount += count
            try index.commit(into: &header)
            header.state = .clean
            try index.write(header)
        } catch {
            // Completed or undone now if possible, otherwise by the next writer.
            try? index.refresh()
            try? recover(index)
            removeIfUnused(segment)
            throw error
        }
        segment.advance(over: &encoder)
        self.segment = segment
    }

    private func writeJournalEntry(
        for encoder: EventLineEncoder, in segment: SegmentWriter, eventCount: UInt64, summary: BatchSummary?
    ) throws(FileError) {
        let beginsWithHeader = encoder.beginsWithHeader
        let batch = JournalBatch(
            client: name, segment: segment.name,
            headerOffset: beginsWithHeader ? segment.size : segment.header.offset,
            headerLine: beginsWithHeader ? segment.lineCount : segment.header.line,
            offset: segment.size, line: segment.lineCount, byteCount: UInt64(encoder.buffer.count),
            lineCount: UInt64(encoder.lineCount), eventCount: eventCount, summary: summary)
        try shared.journal.write([.batch(batch)])
    }

    /// Removes a segment created for events that could not be stored; otherwise every attempt would leave one.
    private func removeIfUnused(_ segment: SegmentWriter) {
        guard segment.lineCount == 1, let status = try? system.status(segment.path), status.size == segment.size else { return }
        try? system.remove(segment.path)
    }

    /// This transport's segment, or a new one if there is none, it is large enough, or it was changed.
    private func usableSegment(_ header: inout IdentityHeader) throws(FileError) -> (segment: SegmentWriter, file: OpenFile) {
        if let segment, segment.size < shared.configuration.effectiveSegmentBytes, let file = try segment.file(system) {
            return (segment, file)
        }
        let name = "\(header.nextSegment)-\(EventIdentifier.randomPrefix().prefix(8))"
        header.nextSegment += 1
        let segment = try SegmentWriter(name: name, path: file(of: name), system: system)
        if isDurable { try system.synchronizeDirectory(path) }
        guard let file = try segment.file(system) else { throw FileError(.open, path, errno: 0) }
        hasNewSegment = true
        return (segment, file)
    }
}
