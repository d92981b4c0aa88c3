import TelemetryModels
import TelemetrySystem

/// Builds the index of a completed journal file from its entries.
struct JournalIndexBuilder {
    private struct SegmentKey: Hashable {
        let client: String
        let name: String
    }

    private struct SessionKey: Hashable {
        let client: Int
        let id: String
    }

    private struct CellKey: Hashable {
        let segment: Int
        let session: Int
        let scenario: Int?
        let level: TelemetryLogLevel
        let hour: Int64
    }

    private var index = JournalIndex()
    private var clients: [String: Int] = [:]
    private var segments: [SegmentKey: Int] = [:]
    private var sessions: [SessionKey: Int] = [:]
    private var scenarios: [String: Int] = [:]
    private var cells: [CellKey: Int] = [:]

    /// Reads the whole file. Nil if it has an invalid line, a duplicate entry or no first line: it is then read in full each time.
    static func index(
        of file: UInt64, in layout: StoreLayout, _ system: FileSystem
    ) throws(FileError) -> JournalIndex? {
        var builder = JournalIndexBuilder()
        var lines = JournalReader(
            layout: layout, system: system, diagnostics: nil,
            position: JournalPosition(file: file, offset: 0, events: 0), readsSummaries: true)
        var hasHead = false
        while let (line, at) = try lines.next(), at.file == file {
            if case .head = line {
                if hasHead { return nil }
                hasHead = true
            }
            builder.index.range.events = lines.position.events
            guard case .batch(let batch) = line else { continue }
            guard builder.add(batch, at.offset, events: lines.position.events - batch.eventCount) else { return nil }
        }
        guard hasHead, lines.invalidLineCount == 0, let size = try system.status(layout.journalFile(file))?.size
        else { return nil }
        builder.index.range.journalSize = size
        return builder.index
    }

    /// False for a duplicate entry.
    private mutating func add(_ batch: JournalBatch, _ offset: UInt64, events: UInt64) -> Bool {
        let segment = place(of: batch)
        guard batch.offset >= index.segments[segment].end else { return false }
        index.segments[segment].end = batch.offset.addingClamped(batch.byteCount)
        var entry = JournalIndex.Entry(
            offset: offset, events: events, first: 0, last: .max, segment: UInt32(segment), session: JournalIndex.Entry.unknown,
            scenarios: .max, levels: .max)
        if let summary = batch.summary {
            let session = place(of: summary.session, client: index.segments[segment].client)
            (entry.first, entry.last, entry.session) = (summary.first, summary.last, UInt32(session))
            if let cells = summary.cells {
                (entry.scenarios, entry.levels) = (0, 0)
                for cell in cells { add(cell, segment, session, &entry) }
            }
        }
        if batch.summary?.cells == nil { index.segments[segment].isPartial = true }
        index.range.first = min(index.range.first, entry.first)
        index.range.last = max(index.range.last, entry.last)
        index.entries.append(entry)
        return true
    }

    private mutating func add(
        _ cell: BatchSummary.Cell, _ segment: Int, _ session: Int, _ entry: inout JournalIndex.Entry
    ) {
        let scenario = cell.scenario.map { name in
            if let known = scenarios[name], index.scenarios[known].isIdentical(to: name) { return known }
            scenarios[name] = index.scenarios.count
            index.scenarios.append(name)
            return index.scenarios.count - 1
        }
        entry.scenarios |= JournalIndex.bit(ofScenario: scenario)
        entry.levels |= JournalIndex.bit(of: cell.level)
        let key = CellKey(segment: segment, session: session, scenario: scenario, level: cell.level, hour: cell.hour)
        if let known = cells[key] {
            index.cells[known].counts.merge(cell)
        } else {
            cells[key] = index.cells.count
            index.cells.append(JournalIndex.Cell(segment: segment, session: session, offset: entry.offset, counts: cell))
        }
    }

    private mutating func place(of batch: JournalBatch) -> Int {
        let key = SegmentKey(client: batch.client, name: batch.segment)
        if let known = segments[key] { return known }
        let client = clients[batch.client] ?? index.clients.count
        if client == index.clients.count {
            clients[batch.client] = client
            index.clients.append(batch.client)
        }
        segments[key] = index.segments.count
        index.segments.append(
            JournalIndex.Segment(client: client, name: batch.segment, start: batch.offset, end: 0))
        return index.segments.count - 1
    }

    private mutating func place(of session: String, client: Int) -> Int {
        let key = SessionKey(client: client, id: session)
        if let known = sessions[key], index.sessions[known].id.isIdentical(to: session) { return known }
        sessions[key] = index.sessions.count
        index.sessions.append(JournalIndex.Session(client: client, id: session))
        return index.sessions.count - 1
    }
}
