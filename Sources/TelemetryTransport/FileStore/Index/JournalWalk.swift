import TelemetryModels

/// Reads the journal forwards, without the entries of completed files whose events cannot match.
struct JournalWalk {
    /// How a completed file with an index is read.
    private struct Plan {
        var file: UInt64
        var size: UInt64
        /// The number of events in the file and all earlier ones.
        var events: UInt64
        /// The entries to read, in order, and the next of them.
        var entries: [JournalIndex.Entry]
        var next = 0
    }

    /// An entry, and whether its file has an index, which excludes duplicates.
    struct Step {
        let line: JournalLine
        let at: JournalPosition
        let isIndexed: Bool
    }

    private(set) var lines: JournalReader
    private let indexes: JournalIndexes
    private let storeID: String
    private let bounds: EventBounds
    private var states: SegmentStates
    private var plan: Plan?
    /// The ends of the segments in the entries read so far, and in the completed files that were read by their indexes.
    var ends: SegmentEnds

    /// - Parameter ends: Reads the ends at the start, if its file has no index.
    init(
        lines: JournalReader, indexes: JournalIndexes, storeID: String, bounds: EventBounds, states: SegmentStates,
        ends: () throws -> SegmentEnds
    ) throws {
        self.lines = lines
        self.indexes = indexes
        self.storeID = storeID
        self.bounds = bounds
        self.states = states
        self.ends = SegmentEnds()
        try makePlan(lines.position.file)
        if plan == nil { self.ends = try ends() }
    }

    /// Returns to the line at which a page ended, to continue there with the next one. False if it has to be read again.
    mutating func rewind(to position: JournalPosition) -> Bool {
        !bounds.isSelective && lines.rewind(to: position)
    }

    /// Whether the current file is read by its index; ``ends`` is then ahead of the position.
    var isIndexed: Bool { plan != nil }

    /// The first missing journal file since the last call, and the event count at its beginning.
    mutating func takeGap() -> JournalPosition? { lines.takeGap() }

    /// The next entry that may matter; nil at the end of the journal.
    mutating func next() throws -> Step? {
        while true {
            skip()
            guard let (line, at) = try lines.next() else { return nil }
            if at.file != plan?.file {
                if case .head = line { try makePlan(at.file) } else { plan = nil }
            }
            if plan == nil, case .batch(let batch) = line, let summary = batch.summary, bounds.excludes(summary),
                bounds.client == nil || bounds.client == batch.client,
                try states.isPresent(batch.segment, client: batch.client)
            {
                guard ends.insert(batch) else { return Step(line: line, at: at, isIndexed: false) }
                continue
            }
            return Step(line: line, at: at, isIndexed: plan != nil)
        }
    }

    /// Moves to the next wanted entry of the plan; after the last one, to the end of the file.
    private mutating func skip() {
        guard var plan, lines.position.file == plan.file else { return }
        while plan.next < plan.entries.count, plan.entries[plan.next].offset < lines.position.offset { plan.next += 1 }
        if plan.next < plan.entries.count {
            lines.jump(to: plan.entries[plan.next].offset, events: plan.entries[plan.next].events)
        } else {
            lines.jump(to: plan.size, events: plan.events)
        }
        self.plan = plan
    }

    private mutating func makePlan(_ file: UInt64) throws {
        plan = nil
        guard bounds.isSelective, let index = try indexes.index(of: file, with: .names, storeID: storeID) else { return }
        var entries: [JournalIndex.Entry] = []
        if try mayMatch(index) {
            guard let whole = try indexes.index(of: file, with: [.names, .entries], storeID: storeID) else { return }
            entries = try whole.entries(matching: bounds, &states)
        }
        // Last, because the file is read without a plan after an error.
        guard ends.advance(over: index) else { return }
        plan = Plan(file: file, size: index.range.journalSize, events: index.range.events, entries: entries)
    }

    /// Whether the file can have a matching event, or one that retention removed.
    private mutating func mayMatch(_ index: JournalIndex) throws -> Bool {
        if let client = bounds.client, !index.clients.contains(client) { return false }
        if bounds.decision(first: index.range.first, last: index.range.last) != .none { return true }
        for segment in index.segments
        where try !states.isPresent(segment.name, client: index.clients[segment.client]) { return true }
        return false
    }
}

extension JournalIndex {
    /// The entries that may have matching events, and those whose segment is gone.
    func entries(matching bounds: EventBounds, _ states: inout SegmentStates) throws -> [Entry] {
        let isWanted = clients.map { bounds.client == nil || bounds.client == $0 }
        var isGone = [Bool](repeating: false, count: segments.count)
        for (place, segment) in segments.enumerated() where isWanted[segment.client] {
            isGone[place] = try !states.isPresent(segment.name, client: clients[segment.client])
        }
        let isWantedSegment = segments.map { isWanted[$0.client] }
        let isWantedSession = bounds.session.map { wanted in sessions.map { $0.id == wanted } }
        let scenarioBits = bounds.scenarios.map { wanted in
            scenarios.indices.reduce(0 as UInt32) { wanted.contains(scenarios[$1]) ? $0 | Self.bit(ofScenario: $1) : $0 }
        }
        let levelBits = bounds.levels.map { $0.reduce(0 as UInt32) { $0 | Self.bit(of: $1) } }
        return entries.filter { entry in
            let segment = Int(entry.segment)
            guard isWantedSegment[segment] else { return false }
            if isGone[segment] { return true }
            // An entry whose scenarios are unknown may have one that no other entry has.
            if let scenarioBits, entry.scenarios != .max, entry.scenarios & scenarioBits == 0 { return false }
            if let levelBits, entry.levels & levelBits == 0 { return false }
            if let isWantedSession, entry.session != Entry.unknown, !isWantedSession[Int(entry.session)] { return false }
            return bounds.decision(first: entry.first, last: entry.last) != .none
        }
    }
}
