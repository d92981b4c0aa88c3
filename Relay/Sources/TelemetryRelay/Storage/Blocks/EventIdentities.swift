import Foundation

/// The identifiers of stored events, and for some time of deleted ones, which are not stored again. Used within one transaction.
///
/// A row of `event_identity` has an interval of numbers after one prefix, or a single identifier. It counts its events that are still
/// stored; without any, it is remembered for some time.
struct EventIdentities {
    private struct Key: Hashable {
        let client: Int64
        let prefix: Data
    }

    /// An interval that is being extended.
    private struct Interval {
        let id: Int64
        let first: Int64
        /// One less than `first` for a new interval.
        var last: Int64
        /// The first number of the next interval.
        let next: Int64?
        /// Whether none of its events was stored.
        let isRemembered: Bool
        var added: Int64 = 0
    }

    /// Instead of a number, for a single identifier.
    static let single: Int64 = -1
    private static let maximum: Int64 = 999_999_999_999_999_999

    private let db: any StorageConnection
    /// In milliseconds of the arrival clock.
    private let received: Int64
    private var intervals: [Key: Interval] = [:]
    /// The rows of the prepared single identifiers, the next one last; nil for duplicates.
    private var singles: [Int64?] = []
    /// The number of remembered rows that have a stored event again.
    private(set) var revived: Int64 = 0

    /// - Parameter batches: those whose identifiers are added next, with the rows of their runs' clients. What they need is looked up
    ///   together; identifiers that follow each other need one interval.
    init(
        _ db: any StorageConnection, received: Int64, for batches: some Sequence<(RelayEventBatch, [Int64])>
    ) throws {
        (self.db, self.received) = (db, received)
        var searches: [(key: Key, number: Int64)] = []
        var keys: Set<Key> = []
        var singles: [Statement] = []
        for (batch, clients) in batches {
            for event in batch.events {
                let key = Key(client: clients[event.run], prefix: event.identifier.prefix)
                if let number = event.identifier.number {
                    if keys.insert(key).inserted { searches.append((key, number)) }
                } else {
                    singles.append(insertion(key, first: Self.single, last: Self.single, stored: 1, " ON CONFLICT DO NOTHING"))
                }
            }
        }
        for (search, interval) in zip(searches, try find(searches)) { intervals[search.key] = interval }
        self.singles = try db.rows(singles).map { try $0.first?.int(0) }.reversed()
    }

    /// Adds an event's identifier, unless it is there.
    /// - Returns: its row; nil for a duplicate.
    mutating func add(_ identifier: EventIdentifier, client: Int64) throws -> Int64? {
        guard let number = identifier.number else { return singles.popLast() ?? nil }
        let key = Key(client: client, prefix: identifier.prefix)
        if var interval = intervals[key] {
            if interval.first <= number, number <= interval.last { return nil }
            if number == interval.last + 1, number != interval.next {
                interval.last = number
                interval.added += 1
                intervals[key] = interval
                return interval.id
            }
            try save(interval)
        }
        intervals[key] = try find([(key, number)]).first
        return try add(identifier, client: client)
    }

    /// For each number, the interval that contains it or that it extends; otherwise a new one.
    private func find(_ searches: [(key: Key, number: Int64)]) throws -> [Interval] {
        var intervals = try zip(searches, db.rows(searches.map(Self.search))).map { search, rows in
            (next: try rows.first?.optionalInt(0), found: try rows.first.flatMap { try Self.interval($0, search.number) })
        }
        let new = intervals.indices.filter { intervals[$0].found == nil }
        let ids = try db.rows(
            new.map { insertion(searches[$0].key, first: searches[$0].number, last: searches[$0].number - 1, stored: 0) })
        for (index, rows) in zip(new, ids) {
            guard let id = try rows.first?.int(0) else { throw RelayStorageError.corrupt("an identifier has no row") }
            let number = searches[index].number
            intervals[index].found = Interval(
                id: id, first: number, last: number - 1, next: intervals[index].next, isRemembered: false)
        }
        return intervals.compactMap(\.found)
    }

    /// A statement for the first number of the next interval, and for the interval that begins at or before a number.
    private static func search(_ key: Key, _ number: Int64) -> Statement {
        Statement(
            """
            SELECT later.next, found.id, found.first, found.last, found.stored
            FROM (SELECT MIN(first) AS next FROM event_identity WHERE client = $1 AND prefix = $2 AND first > $3) AS later
            LEFT JOIN (
                SELECT id, first, last, stored FROM event_identity
                WHERE client = $1 AND prefix = $2 AND first <= $3 AND first >= 0 ORDER BY first DESC LIMIT 1
            ) AS found ON true
            """, [.int(key.client), .bytes(key.prefix), .int(number)])
    }

    /// The interval in a row of ``search(_:_:)``, if it contains the number or ends before it.
    private static func interval(_ row: StorageRow, _ number: Int64) throws -> Interval? {
        guard let id = try row.optionalInt(1), try row.int(3) >= number - 1 else { return nil }
        let (first, last) = (try row.int(2), try row.int(3))
        guard (first...maximum).contains(last) else {
            throw RelayStorageError.corrupt("an interval of identifiers cannot be read")
        }
        return Interval(
            id: id, first: first, last: last, next: try row.optionalInt(0), isRemembered: try row.int(4) == 0)
    }

    private func insertion(_ key: Key, first: Int64, last: Int64, stored: Int64, _ conflict: String = "") -> Statement {
        Statement(
            """
            INSERT INTO event_identity (client, prefix, first, last, stored, received) VALUES ($1, $2, $3, $4, $5, $6)\(conflict)
            RETURNING id
            """, [.int(key.client), .bytes(key.prefix), .int(first), .int(last), .int(stored), .int(received)])
    }

    private mutating func save(_ interval: Interval) throws {
        guard interval.added > 0 else { return }
        try db.enqueue(
            "UPDATE event_identity SET last = $1, stored = stored + $2, received = $3 WHERE id = $4",
            [.int(interval.last), .int(interval.added), .int(received), .int(interval.id)])
        if interval.isRemembered { revived += 1 }
    }

    /// Saves the intervals. Call once, after the last ``add(_:client:)``.
    mutating func save() throws {
        for interval in intervals.values { try save(interval) }
    }
}

extension EventIdentities {
    /// Subtracts deleted events from the rows of their identifiers.
    /// - Parameters:
    ///   - counts: the number of deleted events by row.
    ///   - cutoff: rows without stored events are remembered if an event arrived since then.
    /// - Returns: the number of newly remembered rows.
    static func release(_ counts: [Int64: Int64], cutoff: Int64, _ db: any StorageConnection) throws -> Int64 {
        var remembered: Int64 = 0
        let rows = try db.rows(
            counts.map { id, count in
                Statement(
                    "UPDATE event_identity SET stored = stored - $1 WHERE id = $2 RETURNING stored, received, id",
                    [.int(count), .int(id)])
            })
        for row in rows.compactMap(\.first) where try row.int(0) <= 0 {
            if try row.int(1) < cutoff {
                try db.enqueue("DELETE FROM event_identity WHERE id = $1", [.int(try row.int(2))])
            } else {
                remembered += 1
            }
        }
        return remembered
    }

    /// Removes remembered rows that are too old or too many, the oldest ones first.
    /// - Parameter excess: the number of remembered rows that are too many.
    /// - Returns: the number of removed rows, at most `limit`.
    static func forget(before cutoff: Int64, excess: Int64, atMost limit: Int, _ db: any StorageConnection) throws -> Int64 {
        let rows = try db.rows(
            "SELECT id, received FROM event_identity WHERE stored = 0 ORDER BY received, id LIMIT $1", [.init(limit)])
        var removed: Int64 = 0
        for row in rows {
            guard try row.int(1) < cutoff || removed < excess else { break }
            try db.enqueue("DELETE FROM event_identity WHERE id = $1", [.int(try row.int(0))])
            removed += 1
        }
        return removed
    }
}
