import Foundation

/// Reads pages of events, each from one snapshot of the database.
struct BlockPages {
    /// The maximum size of a page, in bytes of events.
    private static let byteLimit = 8 << 20
    /// A page also ends when so many bytes of blocks are kept for further events of them.
    private static let keptByteLimit = 16 << 20

    private let filter: RelayEventFilter

    init(_ filter: RelayEventFilter) { self.filter = filter }

    func page(
        _ db: StorageConnection, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) throws -> RelayEventPage {
        let state = try RelayState.fetch(db.database)
        let after = try cursor.map { cursor in
            guard let number = state.number(ofPlace: cursor.rawValue, before: state.nextEvent) else {
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
            RelayStoredEvent(cursor: RelayEventCursor(rawValue: state.place(number)), json: text)
        }
        let hasMore = events.count < found.events.count
        let end = hasMore || order == .descending ? events.last?.cursor ?? cursor : nil
        return RelayEventPage(
            events: events, cursor: end ?? RelayEventCursor(rawValue: state.place(newest)), hasMore: hasMore,
            skipped: order == .ascending ? try skipped(db, after: after) : 0)
    }

    /// The first found events that fit into a page, at least one if there is any.
    private func texts(
        of found: BlockReader.Found, limit: Int, _ db: StorageConnection
    ) throws -> [(number: Int64, text: String)] {
        var uses: [Int: Int] = [:]
        for event in found.events.prefix(limit) { uses[event.block, default: 0] += 1 }
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
                text = try found.blocks[event.block].text(db)
                keptBytes += text.count
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

    /// The number of events that retention deleted after a number, according to the recorded runs of deletions.
    private func skipped(_ db: StorageConnection, after number: Int64?) throws -> Int {
        guard let number else { return 0 }
        var statement = Statement("")
        statement.sql = """
            SELECT COALESCE(SUM(CASE WHEN first > \(statement.parameter(.int(number))) THEN count ELSE MIN(count, last - \
            \(statement.parameter(.int(number)))) END), 0) FROM event_expired WHERE last > \(statement.parameter(.int(number)))
            """
        if let clients = filter.clients {
            statement.sql += " AND client IN (\(EventStreams.clients(clients.map(NameKey.data), &statement)))"
        }
        return Int(try db.rows(statement).first?.int(0) ?? 0)
    }
}
