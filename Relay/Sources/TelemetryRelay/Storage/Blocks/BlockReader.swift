@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTransport

/// Finds events in blocks, in the order of their numbers.
struct BlockReader {
    /// A found event.
    struct Event {
        let entry: BlockEntry
        /// The index of its block among the found ones.
        let block: Int
        /// Where its header and its line are in the block's text.
        let header: Range<Int>
        let line: Range<Int>
    }

    /// Found events and their blocks.
    struct Found {
        var events: [Event] = []
        var blocks: [EventBlock] = []
        /// Blocks that cannot be read, which are left out.
        var unreadable: [EventBlock] = []
    }

    /// The maximum number of streams of one session key that are read one by one.
    private static let fewStreams = 200
    /// The maximum number of clients that are read one by one; of more, the blocks of all clients are gone through.
    private static let fewClients = 64

    private let db: any StorageConnection
    private let selection: EventSelection
    private let cells: BlockCells
    /// Reads the text of a block.
    private let text: (EventBlock) throws -> [UInt8]

    init(_ db: any StorageConnection, _ selection: EventSelection, text: @escaping (EventBlock) throws -> [UInt8]) {
        (self.db, self.selection, self.text) = (db, selection, text)
        cells = BlockCells(db, for: selection.fields)
    }

    /// The first matching events of a range, in order.
    func events(in numbers: ClosedRange<Int64>, _ order: RelayEventOrder, limit: Int) throws -> Found {
        var found = Found()
        var collected = Collected(order: order, limit: limit)
        try forEachBlock(in: numbers, order) { block in
            guard !collected.isComplete(before: block) else { return false }
            do {
                let events = try matches(block, in: numbers, index: found.blocks.count)
                if !events.isEmpty {
                    found.blocks.append(block)
                    collected.add(events)
                }
            } catch let error as RelayStorageError where error == BlockScanner.malformed {
                found.unreadable.append(block)
            }
            return true
        }
        found.events = collected.finish()
        return found
    }

    /// The number of matching events of a range.
    func count(in numbers: ClosedRange<Int64>) throws -> Int {
        var count = 0
        // Usually, the summaries suffice.
        try forEachBlock(in: numbers, .ascending, selection.usesWords ? parts : [.summary]) { block in
            guard selection.covers(block, in: numbers) else {
                count += try matches(block, in: numbers, index: 0).count
                return true
            }
            if selection.isOfAnyKind {
                count += block.count
                return true
            }
            let summary = try block.summary()
            var isRead = summary.selected(by: selection)
            for (cell, places) in try cells.cells(of: block, summary, where: isRead) {
                guard let matches = selection.matches(cell) else { continue }
                if matches { count += cell.count }
                for place in places { isRead[place] = false }
            }
            if isRead.contains(true) { count += try self.matches(block, in: numbers, index: 0, summary, isRead).count }
            return true
        }
        return count
    }

    /// What is read of every block. If words may exclude it, its entries are read later.
    private var parts: Set<EventBlock.Part> { selection.usesWords ? [.summary, .words] : [.summary, .entries] }

    /// Calls `body` with each block that may have matching events, until it returns false.
    /// - Parameter parts: What is read of it; nil for what finds events.
    func forEachBlock(
        in numbers: ClosedRange<Int64>, _ order: RelayEventOrder, _ parts: Set<EventBlock.Part>? = nil,
        _ body: (EventBlock) throws -> Bool
    ) throws {
        guard !selection.isEmpty else { return }
        let columns = EventBlock.columns(with: parts ?? self.parts)
        let clients = try SelectedClients(selection, db).numbers
        var cursors = try scopes(clients).map { try BlockCursor(db, $0, selection, in: numbers, order, columns: columns) }
        while let (index, block) = Self.next(cursors, order) {
            if clients?.contains(block.stream.client) ?? true, try !body(block) { return }
            try cursors[index].advance(db)
        }
    }

    /// What is read to find all blocks of some clients, or of all.
    private func scopes(_ clients: Set<Int64>?) throws -> [BlockCursor.Scope] {
        let few = clients.flatMap { $0.count <= Self.fewClients ? $0 : nil }
        guard let session = selection.session else { return few.map { $0.map { .client($0) } } ?? [.all] }
        if few?.isEmpty ?? false { return [] }
        var statement = Statement("SELECT id FROM event_stream WHERE session_key = ")
        statement.sql += statement.parameter(.bytes(session))
        if let few { statement.sql += " AND client IN (\(statement.parameters(few.map(StorageValue.int))))" }
        statement.sql += " LIMIT \(Self.fewStreams + 1)"
        let streams = try db.rows(statement)
        return streams.count > Self.fewStreams ? [.sessions(session)] : try streams.map { .stream(try $0.int(0)) }
    }

    /// The block whose first number, or in descending order whose last one, comes next.
    private static func next(_ cursors: [BlockCursor], _ order: RelayEventOrder) -> (Int, EventBlock)? {
        var result: (Int, EventBlock)?
        for (index, cursor) in cursors.enumerated() {
            guard let block = cursor.next else { continue }
            if let (_, other) = result {
                let isLater =
                    order == .ascending
                    ? block.numbers.lowerBound > other.numbers.lowerBound : block.numbers.upperBound < other.numbers.upperBound
                if isLater { continue }
            }
            result = (index, block)
        }
        return result
    }

    /// Whether events of a kind may match, whichever block they are in.
    func mayMatch(_ kind: BlockSummary.Kind) -> Bool {
        guard selection.contains(name: kind.name), selection.contains(scenario: kind.scenario),
            selection.contains(level: kind.level)
        else { return false }
        return BlockCells.cell(of: kind).flatMap(selection.matches) ?? true
    }

    /// The matching events of a block, in ascending order.
    func matches(_ block: EventBlock, in numbers: ClosedRange<Int64>, index: Int) throws -> [Event] {
        guard !block.isExcludedByWords(selection.matches) else { return [] }
        return try matches(block, block.summary(), in: numbers, index: index)
    }

    /// The matching events of a block with this summary, in ascending order.
    private func matches(
        _ block: EventBlock, _ summary: BlockSummary, in numbers: ClosedRange<Int64>, index: Int
    ) throws -> [Event] {
        try matches(block, in: numbers, index: index, summary, mayMatch(block, summary))
    }

    /// The matching events of those cells of a block for which a flag is set.
    private func matches(
        _ block: EventBlock, in numbers: ClosedRange<Int64>, index: Int, _ summary: BlockSummary, _ isRead: [Bool]
    ) throws -> [Event] {
        guard isRead.contains(true) else { return [] }
        let entries = try block.entries(db, of: summary)
        let events = Self.candidates(in: entries, where: isRead, selection, numbers, index: index)
        guard selection.needsEvents, !events.isEmpty else { return events }
        var selected: [Event] = []
        try Self.read(events, in: text(block), with: selection.literals) { if selection.contains($1) { selected.append($0) } }
        try Task.checkCancellation()
        return selected
    }

    /// For each cell of a block's summary, whether its events may match.
    func mayMatch(_ block: EventBlock, _ summary: BlockSummary) throws -> [Bool] {
        var isRead = summary.selected(by: selection)
        if selection.needsEvents {
            for (cell, places) in try cells.cells(of: block, summary, where: isRead) where selection.matches(cell) == false {
                for place in places { isRead[place] = false }
            }
        }
        return isRead
    }

    /// The events of a block that match as far as its text is not needed, in ascending order.
    /// - Parameters:
    ///   - isRead: for each cell of the block's summary, whether its events may match.
    ///   - index: the block's.
    static func candidates(
        in entries: [BlockEntry], where isRead: [Bool], _ selection: EventSelection, _ numbers: ClosedRange<Int64>, index: Int
    ) -> [Event] {
        var offset = 0
        var header = 0..<0
        var events: [Event] = []
        for entry in entries {
            if let length = entry.header {
                header = offset..<offset + length
                offset += length
            }
            let line = offset..<offset + entry.length
            if isRead[entry.cell], numbers.contains(entry.number), selection.contains(entry.time) {
                events.append(Event(entry: entry, block: index, header: header, line: line))
            }
            offset = line.upperBound
        }
        return events
    }

    /// Calls `body` with each event that may have these literals. It is valid only in the call.
    /// - Parameter text: the block's.
    static func read(
        _ events: [Event], in text: [UInt8], with literals: QueryLiterals, _ body: (Event, StoredEvent) throws -> Void
    ) throws {
        var reader = StoredEventReader([literals])
        try read(events, in: text, with: &reader, { _ in [0] }) { event, _, stored in try body(event, stored) }
    }

    /// Calls `body` with each event, for each of its queries that do not exclude it. An event is parsed once for all of them.
    /// - Parameters:
    ///   - reader: has the literals of the queries.
    ///   - queries: returns the indices of an event's queries.
    static func read(
        _ events: [Event], in text: [UInt8], with reader: inout StoredEventReader, _ queries: (Event) -> [Int],
        _ body: (Event, _ query: Int, StoredEvent) throws -> Void
    ) throws {
        try text.withUnsafeBufferPointer { text in
            var header: Range<Int>?
            for event in events {
                guard event.line.upperBound <= text.count else { throw BlockScanner.malformed }
                if event.header != header {
                    guard reader.readHeader(UnsafeBufferPointer(rebasing: text[event.header])) else {
                        throw BlockScanner.malformed
                    }
                    header = event.header
                }
                let line = UnsafeBufferPointer(rebasing: text[event.line])
                reader.begin(line)
                var parsed: StoredEvent?
                for query in queries(event) where !reader.excludes(by: query) {
                    guard let stored = parsed ?? reader.event(line) else { throw BlockScanner.malformed }
                    parsed = stored
                    try body(event, query, stored)
                }
            }
        }
    }
}

extension BlockReader {
    /// The first events of several blocks, in order. Sorts only if blocks overlap, and not for every block.
    private struct Collected {
        let order: RelayEventOrder
        let limit: Int
        private var events: [Event] = []
        private var isSorted = true
        /// No event after this number is needed.
        private var bound: Int64?

        init(order: RelayEventOrder, limit: Int) { (self.order, self.limit) = (order, limit) }

        /// Whether a block, and those after it, have no event that is needed.
        func isComplete(before block: EventBlock) -> Bool {
            guard let bound else { return false }
            return order == .ascending ? block.numbers.lowerBound > bound : block.numbers.upperBound < bound
        }

        /// - Parameter added: the events of one block by ascending numbers.
        mutating func add(_ added: [Event]) {
            let added = order == .ascending ? added : added.reversed()
            if let last = events.last, let first = added.first, Self.isLater(last, first, order) { isSorted = false }
            events += added
            if events.count >= limit, bound == nil || isSorted || events.count / 2 >= limit { trim() }
        }

        private mutating func trim() {
            sort()
            events.removeLast(events.count - limit)
            bound = events.last?.entry.number
        }

        mutating func finish() -> [Event] {
            sort()
            return Array(events.prefix(limit))
        }

        private mutating func sort() {
            if !isSorted { events.sort { [order] in Self.isLater($1, $0, order) } }
            isSorted = true
        }

        private static func isLater(_ event: Event, _ other: Event, _ order: RelayEventOrder) -> Bool {
            order == .ascending ? event.entry.number > other.entry.number : event.entry.number < other.entry.number
        }
    }
}
