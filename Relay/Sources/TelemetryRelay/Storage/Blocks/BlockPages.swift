import Foundation

/// Reads pages of events, each from one snapshot of the database.
struct BlockPages {
    /// The maximum size of a page, in bytes of events.
    private static let byteLimit = 8 << 20
    /// A page also ends when so many bytes of blocks are kept for further events of them.
    private static let keptByteLimit = 16 << 20

    /// The maximum number and bytes of blocks whose text is read together, unless a single one is larger.
    private static let (blocksATime, bytesATime) = (64, 256 << 10)

    private let filter: RelayEventFilter
    private let store: StoreIdentity

    init(_ filter: RelayEventFilter, of store: StoreIdentity) { (self.filter, self.store) = (filter, store) }

    func page(
        _ db: any StorageConnection, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) throws -> RelayEventPage {
        let state = try EventState.fetch(db)
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
        let found =
            try first > last
            ? .init()
            : BlockReader(db, EventSelection(filter)).events(in: first...last, order, limit: limit == .max ? limit : limit + 1)
        let events = try texts(of: found, limit: limit, db).map { number, text in
            RelayStoredEvent(cursor: RelayEventCursor(rawValue: store.place(number)), json: text)
        }
        let hasMore = events.count < found.events.count
        let end = hasMore || order == .descending ? events.last?.cursor ?? cursor : nil
        return RelayEventPage(
            events: events, cursor: end ?? RelayEventCursor(rawValue: store.place(newest)), hasMore: hasMore,
            skipped: order == .ascending ? try skipped(db, after: after) : 0)
    }

    /// The first found events that fit into a page, at least one if there is any.
    private func texts(
        of found: BlockReader.Found, limit: Int, _ db: any StorageConnection
    ) throws -> [(number: Int64, text: String)] {
        var uses: [Int: Int] = [:]
        for event in found.events.prefix(limit) { uses[event.block, default: 0] += 1 }
        // The blocks in the order in which they are needed.
        var needed = found.events.prefix(limit).reduce(into: (order: [Int](), known: Set<Int>())) { needed, event in
            if needed.known.insert(event.block).inserted { needed.order.append(event.block) }
        }.order[...]
        // A block's text is kept while there are more events of it.
        var blocks: [Int: [UInt8]] = [:]
        var texts: [(Int64, String)] = []
        var (bytes, keptBytes) = (0, 0)
        for event in found.events.prefix(limit) {
            let length = event.entry.length
            if !texts.isEmpty, bytes + length > Self.byteLimit || keptBytes > Self.keptByteLimit { break }
            bytes += length
            let text: [UInt8]
            if let kept = blocks[event.block] {
                text = kept
            } else {
                let next = Self.together(needed, of: found.blocks)
                needed = needed.dropFirst(next.count)
                for (block, text) in zip(next, try EventBlock.texts(of: next.map { found.blocks[$0] }, db)) {
                    blocks[block] = text
                    keptBytes += text.count
                }
                guard let read = blocks[event.block] else { throw BlockScanner.malformed }
                text = read
            }
            uses[event.block, default: 0] -= 1
            let isLast = uses[event.block] == 0
            blocks[event.block] = isLast ? nil : text
            if isLast { keptBytes -= text.count }
            guard event.offset + length <= text.count else { throw BlockScanner.malformed }
            texts.append((event.entry.number, String(decoding: text[event.offset..<(event.offset + length)], as: UTF8.self)))
        }
        return texts
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
        guard let number, filter.clients != [] else { return 0 }
        var statement = Statement("")
        let after = statement.parameter(.int(number))
        statement.sql = """
            SELECT CAST(COALESCE(SUM(
                CASE WHEN first > \(after) OR last - \(after) > count THEN count ELSE last - \(after) END
            ), 0) AS BIGINT) FROM event_expired WHERE last > \(after)
            """
        if let clients = filter.clients {
            statement.sql += " AND client IN (\(EventStreams.clients(clients.map(NameKey.data), &statement)))"
        }
        return Int(try db.rows(statement).first?.int(0) ?? 0)
    }
}
