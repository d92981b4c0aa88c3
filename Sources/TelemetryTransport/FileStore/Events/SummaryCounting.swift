import TelemetryModels
import TelemetrySystem

/// Counts the events of batches, from their summaries where those decide.
///
/// A method that has thrown can be called again with the same arguments, and counts nothing twice.
struct SummaryCounting {
    let filter: TelemetryEventFilter
    let bounds: EventBounds
    let source: BatchSource
    var states: SegmentStates
    var table = EventCountTable()
    /// The completed file whose summaries were counted, and how many of its entries were examined since.
    private var progress: (file: UInt64, entries: Int)?

    init(filter: TelemetryEventFilter, bounds: EventBounds, source: BatchSource, states: SegmentStates) {
        (self.filter, self.bounds, self.source, self.states) = (filter, bounds, source, states)
    }

    /// Adds the matching events of a batch.
    mutating func add(_ batch: JournalBatch) throws {
        guard bounds.client == nil || bounds.client == batch.client else { return }
        if let summary = batch.summary, bounds.excludes(summary) { return }
        let state = try states.state(of: batch.segment, client: batch.client)
        guard state != .gone else { return }
        if case .whole(let size) = state, size >= batch.offset.addingClamped(batch.byteCount), try addSummary(of: batch) {
            return
        }
        // A batch may have thousands of events.
        try Task.checkCancellation()
        var found: [TelemetryEvent] = []
        try source.segments.read(batch, matching: filter) { event in
            found.append(consume event)
            return true
        }
        for event in found { table.add(event, client: batch.client) }
    }

    /// False if the summary does not decide.
    private mutating func addSummary(of batch: JournalBatch) throws -> Bool {
        guard let summary = batch.summary, let cells = summary.cells,
            cells.allSatisfy({ bounds.decision($0) != .unknown })
        else { return false }
        let wanted = cells.filter { bounds.decision($0) == .all }
        guard !wanted.isEmpty else { return true }
        let source = source
        let session = try table.session(summary.session, client: batch.client) { try source.origin(of: batch) }
        for cell in wanted { table.add(cell, session: session, scenario: table.scenario(cell.scenario)) }
        return true
    }

    /// Adds the matching events of a completed journal file.
    mutating func add(_ index: JournalIndex, _ file: UInt64) throws {
        let isWanted = index.clients.map { bounds.client == nil || bounds.client == $0 }
        var isSummarized = [Bool](repeating: false, count: index.segments.count)
        var isRead = isSummarized
        for (place, segment) in index.segments.enumerated() where isWanted[segment.client] {
            switch try states.state(of: segment.name, client: index.clients[segment.client]) {
            case .gone: break
            case .rewritten: isRead[place] = true
            case .whole(let size):
                isSummarized[place] = !segment.isPartial && size >= segment.end
                isRead[place] = !isSummarized[place]
            }
        }
        let isWantedSession = bounds.session.map { wanted in index.sessions.map { $0.id == wanted } }
        var wanted: [Int] = []
        for (place, cell) in index.cells.enumerated()
        where isSummarized[cell.segment] && isWantedSession?[cell.session] ?? true {
            let decision = bounds.decision(cell.counts)
            if decision == .unknown { isRead[cell.segment] = true }
            if decision == .all { wanted.append(place) }
        }
        if progress?.file != file {
            wanted.removeAll { isRead[index.cells[$0].segment] }
            let places = try places(of: wanted, index, file)
            for place in wanted {
                let cell = index.cells[place]
                guard let session = places[cell.session] else { continue }
                table.add(cell.counts, session: session, scenario: table.scenario(cell.counts.scenario))
            }
            progress = (file, 0)
        }
        if isRead.contains(true) { try addEntries(of: index, file, isRead) }
    }

    /// The places in the table of the sessions of these cells; nil for the other sessions.
    private mutating func places(of cells: [Int], _ index: JournalIndex, _ file: UInt64) throws -> [Int?] {
        let source = source
        var places = [Int?](repeating: nil, count: index.sessions.count)
        for place in cells {
            let cell = index.cells[place]
            guard places[cell.session] == nil else { continue }
            let client = index.clients[index.segments[cell.segment].client]
            places[cell.session] = try table.session(index.sessions[cell.session].id, client: client) {
                var entries = source.entries(of: file)
                return try entries.batch(at: cell.offset).flatMap { try source.origin(of: $0) }
            }
        }
        return places
    }

    /// Adds the matching events of the entries whose segments have to be read.
    private mutating func addEntries(of index: JournalIndex, _ file: UInt64, _ isRead: [Bool]) throws {
        var entries = source.entries(of: file)
        for place in (progress?.entries ?? 0)..<index.entries.count where isRead[Int(index.entries[place].segment)] {
            if let batch = try entries.batch(at: index.entries[place].offset) { try add(batch) }
            progress = (file, place + 1)
        }
    }
}

extension EventBounds {
    /// Whether a completed journal file can have a matching event.
    func mayMatch(_ index: JournalIndex) -> Bool {
        if let client, !index.clients.contains(client) { return false }
        return decision(first: index.range.first, last: index.range.last) != .none
    }
}
