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
    private let unreadable: UnreadableBlocks
    /// The maximum number of positions that a page covers if events have to be read to find those that match.
    private let examinedSpan: Int64

    init(_ filter: RelayEventFilter, cache: BlockCache, unreadable: UnreadableBlocks, examinedSpan: Int64 = 500_000) {
        (self.filter, self.cache, self.unreadable, self.examinedSpan) = (filter, cache, unreadable, examinedSpan)
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
        let part = try part(of: found, in: store, limit: limit, db)
        let isShort = part.count < found.events.count
        let hasMore = isShort || covered != numbers
        unreadable.add(part.unreadable.union(found.unreadable.map(\.id)), of: store)
        // The part of the covered numbers up to the end of the page.
        let end = isShort ? part.last : nil
        let passed = covered.map {
            order == .ascending ? $0.lowerBound...(end ?? $0.upperBound) : (end ?? $0.lowerBound)...$0.upperBound
        }
        // Every block begins in one page.
        let missing = found.unreadable.filter { passed?.contains($0.numbers.lowerBound) ?? false }
            .reduce(part.missing) { $0 + $1.count }
        let place =
            switch order {
            case .ascending: hasMore ? passed?.upperBound : newest
            case .descending: hasMore ? passed?.lowerBound : part.last
            }
        return RelayEventPage(
            events: part.events,
            cursor: place.map { .init(rawValue: store.place($0)) } ?? cursor ?? .init(rawValue: store.place(newest)),
            hasMore: hasMore, skipped: missing + (order == .ascending ? try skipped(db, after: after) : 0))
    }

    /// The positions that a page covers.
    private func examined(_ numbers: ClosedRange<Int64>, _ order: RelayEventOrder) -> ClosedRange<Int64> {
        guard filter.query != nil, numbers.upperBound - numbers.lowerBound >= examinedSpan else { return numbers }
        return order == .ascending
            ? numbers.lowerBound...(numbers.lowerBound + examinedSpan - 1)
            : (numbers.upperBound - examinedSpan + 1)...numbers.upperBound
    }

    /// What of the found events is in a page.
    private struct Part {
        var events: [RelayStoredEvent] = []
        /// The number of found events that the page goes through, and the number of the last one.
        var (count, last): (Int, Int64?) = (0, nil)
        /// The number of those that cannot be read, and their blocks.
        var (missing, unreadable): (Int, Set<Int64>) = (0, [])
    }

    /// The first found events that fit into a page, at least one if there is any.
    private func part(
        of found: BlockReader.Found, in store: StoreIdentity, limit: Int, _ db: any StorageConnection
    ) throws -> Part {
        var uses: [Int: Int] = [:]
        for event in found.events.prefix(limit) { uses[event.block, default: 0] += 1 }
        // The blocks in the order in which they are needed.
        var needed = found.events.prefix(limit).reduce(into: (order: [Int](), known: Set<Int>())) { needed, event in
            if needed.known.insert(event.block).inserted { needed.order.append(event.block) }
        }.order[...]
        // A block's text is kept while there are more events of it.
        var blocks: [Int: BlockLines] = [:]
        var part = Part()
        var (bytes, keptBytes) = (0, 0)
        for event in found.events.prefix(limit) {
            let length = event.header.count + event.line.count
            if !part.events.isEmpty, bytes + length > Self.byteLimit || keptBytes > Self.keptByteLimit { break }
            if blocks[event.block] == nil {
                let next = Self.together(needed, of: found.blocks)
                needed = needed.dropFirst(next.count)
                for (block, text) in zip(next, try texts(of: next.map { found.blocks[$0] }, in: store, db)) {
                    blocks[block] = BlockLines(text ?? [])
                    keptBytes += text?.count ?? 0
                }
            }
            if let (header, line) = blocks[event.block]?.lines(of: event) {
                bytes += length
                let cursor = RelayEventCursor(rawValue: store.place(event.entry.number))
                part.events.append(RelayStoredEvent(cursor: cursor, header: header, line: line))
            } else {
                part.missing += 1
                part.unreadable.insert(found.blocks[event.block].id)
            }
            (part.count, part.last) = (part.count + 1, event.entry.number)
            uses[event.block, default: 0] -= 1
            if uses[event.block] == 0 {
                keptBytes -= blocks[event.block]?.length ?? 0
                blocks[event.block] = nil
            }
        }
        return part
    }

    /// The text of each block, from the cache or read together; nil for those that cannot be read.
    private func texts(
        of blocks: [EventBlock], in store: StoreIdentity, _ db: any StorageConnection
    ) throws -> [[UInt8]?] {
        try zip(blocks, cache.texts(of: blocks, in: store, db)).map { block, text in
            do {
                let text = try text()
                cache.add(text, of: block, in: store)
                return text
            } catch let error as RelayStorageError where error == BlockScanner.malformed {
                return nil
            }
        }
    }

    /// The text of a block.
    private struct BlockLines {
        private let text: [UInt8]
        /// The header that was read last.
        private var header: (place: Range<Int>, line: [UInt8]) = (0..<0, [])

        init(_ text: [UInt8]) { self.text = text }

        var length: Int { text.count }

        /// Nil if they are not in the text.
        mutating func lines(of event: BlockReader.Event) -> (header: [UInt8], line: [UInt8])? {
            guard event.line.upperBound <= text.count else { return nil }
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
