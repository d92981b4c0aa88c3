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
        var last: Int64
        /// The first number of the next interval.
        let next: Int64?
        /// Whether none of its events was stored.
        let isRemembered: Bool
        /// Whether it was inserted for its only number.
        var isNew = false
        var added: Int64 = 0
    }

    /// Instead of a number, for a single identifier.
    private static let single: Int64 = -1
    private static let maximum: Int64 = 999_999_999_999_999_999

    private let db: StorageConnection
    /// In milliseconds of the arrival clock.
    private let received: Int64
    private var intervals: [Key: Interval] = [:]
    /// The number of remembered rows that have a stored event again.
    private(set) var revived: Int64 = 0

    init(_ db: StorageConnection, received: Int64) { (self.db, self.received) = (db, received) }

    /// Adds an event's identifier, unless it is there.
    /// - Returns: its row; nil for a duplicate.
    mutating func add(_ identifier: EventIdentifier, client: Int64) throws -> Int64? {
        guard let number = identifier.number else { return try addSingle(identifier.prefix, client: client) }
        let key = Key(client: client, prefix: identifier.prefix)
        if let interval = intervals[key] {
            if (interval.first...interval.last).contains(number) { return nil }
            if number == interval.last + 1, number != interval.next {
                intervals[key]?.last = number
                intervals[key]?.added += 1
                return interval.id
            }
            try save(interval)
        }
        let interval = try find(number, key)
        intervals[key] = interval
        return interval.added > 0 || interval.isNew ? interval.id : nil
    }

    private func addSingle(_ prefix: Data, client: Int64) throws -> Int64? {
        try db.int(
            """
            INSERT INTO event_identity (client, prefix, first, last, stored, received) VALUES ($1, $2, $3, $3, 1, $4)
            ON CONFLICT DO NOTHING RETURNING id
            """, [.int(client), .bytes(prefix), .int(Self.single), .int(received)])
    }

    /// The interval that contains a number, or that it extends; otherwise a new one.
    private func find(_ number: Int64, _ key: Key) throws -> Interval {
        let values: [StorageValue] = [.int(key.client), .bytes(key.prefix), .int(number)]
        let next = try db.int("SELECT MIN(first) FROM event_identity WHERE client = $1 AND prefix = $2 AND first > $3", values)
        let row = try db.rows(
            """
            SELECT id, first, last, stored FROM event_identity
            WHERE client = $1 AND prefix = $2 AND first <= $3 AND first >= 0 ORDER BY first DESC LIMIT 1
            """, values
        ).first
        if let row, try row.int(2) >= number - 1 {
            let last = try row.int(2)
            guard (try row.int(1)...Self.maximum).contains(last) else {
                throw RelayStorageError.corrupt("an interval of identifiers cannot be read")
            }
            return Interval(
                id: try row.int(0), first: try row.int(1), last: max(last, number), next: next,
                isRemembered: try row.int(3) == 0, added: last == number - 1 ? 1 : 0)
        }
        let id = try db.int(
            """
            INSERT INTO event_identity (client, prefix, first, last, stored, received) VALUES ($1, $2, $3, $3, 1, $4)
            RETURNING id
            """, values + [.int(received)])
        guard let id else { throw RelayStorageError.corrupt("an identifier has no row") }
        return Interval(id: id, first: number, last: number, next: next, isRemembered: false, isNew: true)
    }

    private mutating func save(_ interval: Interval) throws {
        guard interval.added > 0 else { return }
        try db.execute(
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
    static func release(_ counts: [Int64: Int64], cutoff: Int64, _ db: StorageConnection) throws -> Int64 {
        var remembered: Int64 = 0
        for (id, count) in counts {
            let row = try db.rows(
                "UPDATE event_identity SET stored = stored - $1 WHERE id = $2 RETURNING stored, received",
                [.int(count), .int(id)]
            ).first
            guard let row, try row.int(0) <= 0 else { continue }
            if try row.int(1) < cutoff {
                try db.execute("DELETE FROM event_identity WHERE id = $1", [.int(id)])
            } else {
                remembered += 1
            }
        }
        return remembered
    }

    /// Removes remembered rows that are too old or too many, the oldest ones first.
    /// - Parameter excess: the number of remembered rows that are too many.
    /// - Returns: the number of removed rows, at most `limit`.
    static func forget(before cutoff: Int64, excess: Int64, atMost limit: Int, _ db: StorageConnection) throws -> Int64 {
        let rows = try db.rows(
            "SELECT id, received FROM event_identity WHERE stored = 0 ORDER BY received, id LIMIT $1", [.init(limit)])
        var removed: Int64 = 0
        for row in rows {
            guard try row.int(1) < cutoff || removed < excess else { break }
            try db.execute("DELETE FROM event_identity WHERE id = $1", [.int(try row.int(0))])
            removed += 1
        }
        return removed
    }
}
