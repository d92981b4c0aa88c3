import Foundation

/// Reads pages of events, each from one snapshot of the database.
struct BlockPages {
    /// The maximum size of a page, in bytes of lines, each with its header: about that of the events in JSON.
    private static let byteLimit = 8 << 20
    /// A page also ends when so many bytes of blocks are kept for further events of them.
    private static let keptByteLimit = 16 << 20

    /// The maximum number and bytes of blocks whose text is read together, unless a single one is larger.
    private static let (blocksATime, bytesATime) = (64, 256 << 10)

    private let filter: RelayEventFilter
    private let cache: BlockCache
    /// The maximum number of positions that a page covers if events have to be read to find those that match.
    private let examinedSpan: Int64

    init(_ filter: RelayEventFilter, cache: BlockCache, examinedSpan: Int64 = 500_000) {
        (self.filter, self.cache, self.examinedSpan) = (filter, cache, examinedSpan)
    }

    func page(
        _ db: any StorageConnection, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) throws -> RelayEventPage {
        let state = try EventState.fetch(db)
        let store = state.store
        let after = try cursor.map { cursor in
            guard let number = store.number(ofPlace: cursor.rawValue, before: state.nextEvent) else {
                throw RelayStorageError.invalidCursor
            }
            return number
        }
        let newest = state.nextEvent - 1
        let first = max(state.firstEvent, order == .ascending ? (after ?? 0) + 1 : 1)
        let last = order == .ascending ? newest : after.map { $0 - 1 } ?? newest
        let limit = max(1, limit)
        let numbers = first <= last ? first...last : nil
        let covered = numbers.map { examined($0, order) }
        let found =
            try covered.map {
                try BlockReader(db, EventSelection(filter)) { try cache.text(of: $0, in: store, db) }
                    .events(in: $0, order, limit: limit == .max ? limit : limit + 1)
            } ?? .init()
        let events = try events(found, of: store, limit: limit, db)
        let isShort = events.count < found.events.count
        let isPart = covered != numbers
        var end = isShort || order == .descending ? events.last?.cursor ?? cursor : nil
        if let covered, isPart, !isShort {
            end = RelayEventCursor(rawValue: store.place(order == .ascending ? covered.upperBound : covered.lowerBound))
        }
        return RelayEventPage(
            events: events, cursor: end ?? RelayEventCursor(rawValue: store.place(newest)), hasMore: isShort || isPart,
            skipped: order == .ascending ? try skipped(db, after: after) : 0)
    }

    /// The positions that a page covers.
    private func examined(_ numbers: ClosedRange<Int64>, _ order: RelayEventOrder) -> ClosedRange<Int64> {
        guard filter.query != nil, numbers.upperBound - numbers.lowerBound >= examinedSpan else { return numbers }
        return order == .ascending
            ? numbers.lowerBound...(numbers.lowerBound + examinedSpan - 1)
            : (numbers.upperBound - examinedSpan + 1)...numbers.upperBound
    }

    /// The first found events that fit into a page, at least one if there is any.
    private func events(
        _ found: BlockReader.Found, of store: StoreIdentity, limit: Int, _ db: any StorageConnection
    ) throws -> [RelayStoredEvent] {
        var uses: [Int: Int] = [:]
        for event in found.events.prefix(limit) { uses[event.block, default: 0] += 1 }
        // The blocks in the order in which they are needed.
        var needed = found.events.prefix(limit).reduce(into: (order: [Int](), known: Set<Int>())) { needed, event in
            if needed.known.insert(event.block).inserted { needed.order.append(event.block) }
        }.order[...]
        // A block's text is kept while there are more events of it.
        var blocks: [Int: BlockLines] = [:]
        var events: [RelayStoredEvent] = []
        var (bytes, keptBytes) = (0, 0)
        for event in found.events.prefix(limit) {
            let length = event.header.count + event.line.count
            if !events.isEmpty, bytes + length > Self.byteLimit || keptBytes > Self.keptByteLimit { break }
            bytes += length
            if blocks[event.block] == nil {
                let next = Self.together(needed, of: found.blocks)
                needed = needed.dropFirst(next.count)
                for (block, text) in zip(next, try texts(of: next.map { found.blocks[$0] }, in: store, db)) {
                    blocks[block] = BlockLines(text)
                    keptBytes += text.count
                }
            }
            guard let (header, line) = try blocks[event.block]?.lines(of: event) else { throw BlockScanner.malformed }
            uses[event.block, default: 0] -= 1
            if uses[event.block] == 0 {
                keptBytes -= found.blocks[event.block].length
                blocks[event.block] = nil
            }
            let cursor = RelayEventCursor(rawValue: store.place(event.entry.number))
            events.append(RelayStoredEvent(cursor: cursor, header: header, line: line))
        }
        return events
    }

    /// The text of each block, from the cache or read together.
    private func texts(
        of blocks: [EventBlock], in store: StoreIdentity, _ db: any StorageConnection
    ) throws -> [[UInt8]] {
        var texts = blocks.map { cache.text(of: $0, in: store) }
        let missing = blocks.indices.filter { texts[$0] == nil }
        if missing.isEmpty { return texts.compactMap(\.self) }
        for (index, text) in zip(missing, try EventBlock.texts(of: missing.map { blocks[$0] }, db)) {
            cache.add(text, of: blocks[index], in: store)
            texts[index] = text
        }
        return texts.compactMap(\.self)
    }

    /// The text of a block.
    private struct BlockLines {
        private let text: [UInt8]
        /// The header that was read last.
        private var header: (place: Range<Int>, line: [UInt8]) = (0..<0, [])

        init(_ text: [UInt8]) { self.text = text }

        mutating func lines(of event: BlockReader.Event) throws -> (header: [UInt8], line: [UInt8]) {
            guard event.line.upperBound <= text.count else { throw BlockScanner.malformed }
            if event.header != header.place { header = (event.header, Array(text[event.header])) }
            return (header.line, Array(text[event.line]))
        }
    }

    /// The first blocks whose text is read together, at least one.
    private static func together(_ needed: ArraySlice<Int>, of blocks: [EventBlock]) -> ArraySlice<Int> {
        var length = 0
        let count = needed.prefix(blocksATime).prefix { block in
            length += blocks[block].length
            return length <= bytesATime
        }.count
        return needed.prefix(max(1, count))
    }

    /// The number of events that retention deleted after a number, according to the recorded runs of deletions.
    private func skipped(_ db: any StorageConnection, after number: Int64?) throws -> Int {
        guard let number else { return 0 }
        if filter.clients == nil, filter.clientPatterns.isEmpty { return try skipped(db, after: number, of: nil) }
        guard try db.int("SELECT 1 FROM event_expired WHERE last > $1 LIMIT 1", [.int(number)]) != nil else { return 0 }
        let clients = try SelectedClients(EventSelection(filter), db)
        return try clients.groups.reduce(0) { try $0 + skipped(db, after: number, of: $1) }
    }

    private func skipped(_ db: any StorageConnection, after number: Int64, of clients: [Int64]?) throws -> Int {
        var statement = Statement("")
        let after = statement.parameter(.int(number))
        statement.sql = """
            SELECT CAST(COALESCE(SUM(
                CASE WHEN first > \(after) OR last - \(after) > count THEN count ELSE last - \(after) END
            ), 0) AS BIGINT) FROM event_expired WHERE last > \(after)
            """
        if let clients { statement.sql += " AND client IN (\(statement.parameters(clients.map(StorageValue.int))))" }
        return Int(try db.rows(statement).first?.int(0) ?? 0)
    }
}
