import Foundation
import GRDB

/// Reads pages of events, each from one snapshot of the database.
struct SQLiteEventReader {
    /// The maximum size of a page, in bytes of events.
    private static let byteLimit = 8 << 20

    let filter: RelayEventFilter

    func page(
        _ db: Database, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
    ) throws -> RelayEventPage {
        let state = try RelayState.fetch(db)
        let after = try cursor.map { cursor in
            guard let number = state.number(ofPlace: cursor.rawValue, before: state.nextEvent) else {
                throw RelayStorageError.invalidCursor
            }
            return number
        }
        let newest = state.nextEvent - 1
        let first = order == .ascending ? (after ?? 0) + 1 : 1
        let last = order == .ascending ? newest : after.map { $0 - 1 } ?? newest
        let limit = max(1, limit)
        let numbers =
            try first > last
            ? [] : SQLiteEventFilter(filter).numbers(db, in: first...last, order, limit: limit == .max ? limit : limit + 1)
        let events = try events(db, numbers.prefix(limit), state)
        let hasMore = events.count < numbers.count
        let end = hasMore || order == .descending ? events.last?.cursor ?? cursor : nil
        return RelayEventPage(
            events: events, cursor: end ?? RelayEventCursor(rawValue: state.place(newest)), hasMore: hasMore,
            skipped: order == .ascending ? try skipped(db, after: after) : 0)
    }

    private func events(_ db: Database, _ numbers: ArraySlice<Int64>, _ state: RelayState) throws -> [RelayStoredEvent] {
        let statement = try db.cachedStatement(sql: "SELECT body FROM event WHERE number = ?")
        var events: [RelayStoredEvent] = []
        events.reserveCapacity(numbers.count)
        var bytes = 0
        for number in numbers {
            guard let body = try Data.fetchOne(statement, arguments: [number]) else { continue }
            if !events.isEmpty, bytes + body.count > Self.byteLimit { break }
            bytes += body.count
            events.append(
                RelayStoredEvent(
                    cursor: RelayEventCursor(rawValue: state.place(number)), json: String(decoding: body, as: UTF8.self)))
        }
        return events
    }

    /// The number of events that retention deleted after a number, according to the recorded runs of deletions.
    private func skipped(_ db: Database, after number: Int64?) throws -> Int {
        guard let number else { return 0 }
        var condition = "last > ?"
        var arguments: StatementArguments = [number, number, number]
        if let clients = filter.clients {
            condition += " AND client IN (\(SQLiteEventFilter.clients(clients.count)))"
            arguments += StatementArguments(clients.map(NameKey.data))
        }
        return try Int.fetchOne(
            db,
            sql: """
                SELECT COALESCE(SUM(CASE WHEN first > ? THEN count ELSE MIN(count, last - ?) END), 0)
                FROM event_expired WHERE \(condition)
                """, arguments: arguments) ?? 0
    }
}
