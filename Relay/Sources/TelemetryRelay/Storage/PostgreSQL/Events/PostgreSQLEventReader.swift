#if PostgreSQL
import PostgreSQLClient

/// Reads pages of events, each from one snapshot of the database.
struct PostgreSQLEventReader: Sendable {
    /// The maximum size of a page, in bytes of events.
    private static let byteLimit = 8 << 20

    let store: PostgreSQLStore
    let filter: RelayEventFilter

    func page(
        _ connection: PostgreSQLConnection, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) async throws -> RelayEventPage {
        let next = try await store.eventGuard(connection)
        let after = try cursor.map { cursor in
            guard let number = store.number(ofPlace: cursor.rawValue, before: next) else { throw RelayStorageError.invalidCursor }
            return number
        }
        let limit = min(max(1, limit), 1_000_000)
        var statement = PostgreSQLEventSelection.Statement()
        let isAscending = order == .ascending
        let (lower, upper) = isAscending ? (after ?? -1, next) : (-1, min(after ?? next, next))
        let selection = PostgreSQLEventSelection(filter)
        let ranges =
            try await PostgreSQLEventSpans.ranges(of: filter, after: lower, before: upper, order, connection)
            ?? (upper - 1 > lower ? [(lower + 1)...(upper - 1)] : [])
        let matching = selection.first("number, body", in: ranges, order, limit: limit + 1, &statement)
        let direction = isAscending ? "ASC" : "DESC"
        let newest = Self.newest(before: statement.bind(.int64(next)))
        let skipped = isAscending ? skipped(after: after, &statement) : "0"
        let maximum = statement.bind(.int64(Int64(limit)))
        let sql = """
            SELECT number, body, matched, NULL::bigint FROM (
                SELECT number, body, COUNT(*) OVER () AS matched, row_number() OVER arrivals AS position,
                    (SUM(octet_length(body)) OVER arrivals)::bigint AS size
                FROM (\(matching)) AS matching
                WINDOW arrivals AS (ORDER BY number \(direction) ROWS UNBOUNDED PRECEDING)
            ) AS page WHERE position <= \(maximum)::bigint AND (position = 1 OR size <= \(Self.byteLimit))
            UNION ALL SELECT \(newest), NULL, 0, (\(skipped))::bigint
            """
        let rows = try await connection.execute(sql, statement.values).rows
        return try page(rows, limit: limit, order: order, after: after, cursor: cursor)
    }

    private func page(
        _ rows: [PostgreSQLRow], limit: Int, order: RelayEventOrder, after: Int64?, cursor: RelayEventCursor?
    ) throws -> RelayEventPage {
        var events: [(number: Int64, body: [UInt8])] = []
        var (matched, newest, skipped) = (0, Int64(0), 0)
        for row in rows {
            if let count = try row.optionalInt(3) {
                (newest, skipped) = (try row.int(0), Int(count))
            } else {
                events.append((try row.int(0), try row.bytes(1)))
                matched = Int(try row.int(2))
            }
        }
        events.sort { order == .ascending ? $0.number < $1.number : $0.number > $1.number }
        let stored = events.map { event in
            RelayStoredEvent(
                cursor: RelayEventCursor(rawValue: store.place(event.number)), json: String(decoding: event.body, as: UTF8.self))
        }
        let hasMore = stored.count < matched
        let end = hasMore || order == .descending ? stored.last?.cursor ?? cursor : nil
        // The newest events may have been deleted since; a cursor never moves back.
        return RelayEventPage(
            events: stored, cursor: end ?? RelayEventCursor(rawValue: store.place(max(newest, after ?? 0))), hasMore: hasMore,
            skipped: skipped)
    }

    /// SQL for the number of the newest event that was ever stored, as far as it is known, or 0.
    static func newest(before next: String) -> String {
        """
        GREATEST((SELECT MAX(number) FROM event WHERE number < \(next)::bigint),
            (SELECT MAX(last) FROM event_expired WHERE last < \(next)::bigint), 0)
        """
    }

    /// SQL for the number of events that retention deleted after a number, according to the recorded runs of deletions.
    private func skipped(after number: Int64?, _ statement: inout PostgreSQLEventSelection.Statement) -> String {
        guard let number else { return "0" }
        let after = statement.bind(.int64(number))
        var condition = "last > \(after)::bigint"
        if let clients = filter.clients {
            let keys = clients.map { PostgreSQLKey(text: $0) }
            condition += " AND client = ANY(\(statement.bind(.uuids(keys)))::uuid[])"
        }
        return """
            SELECT COALESCE(SUM(CASE WHEN first > \(after)::bigint THEN count ELSE LEAST(count, last - \(after)::bigint) END), 0)
            FROM event_expired WHERE \(condition)
            """
    }
}
#endif
