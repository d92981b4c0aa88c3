import Foundation

/// The identifiers of stored events, and for some time of deleted ones, which are not stored again. Used within one transaction.
///
/// A row of `event_identity` has an interval of numbers after one prefix, or a single identifier. It counts its events that are still
/// stored; without any, it is remembered for some time.
struct EventIdentities {
    /// Instead of a number, for a single identifier.
    static let single: Int64 = -1

    private let db: any StorageConnection
    /// In milliseconds of the arrival clock.
    private let received: Int64
    private var numbers: [Key: NewNumbers] = [:]
    /// The rows of the single identifiers, the next one last; nil for duplicates.
    private var singles: [Int64?] = []
    /// The number of remembered rows that have a stored event again.
    private(set) var revived: Int64 = 0

    /// Writes the identifiers of batches, and keeps which of them are new.
    /// - Parameter batches: those whose events are added next, with the rows of their runs' clients. What they need is looked up together.
    init(
        _ db: any StorageConnection, received: Int64, for batches: some Sequence<(RelayEventBatch, [Int64])>
    ) throws {
        (self.db, self.received) = (db, received)
        var found: [Key: [Int64]] = [:]
        var keys: [Key] = []
        var singles: [Statement] = []
        for (batch, clients) in batches {
            for event in batch.events {
                let key = Key(client: clients[event.run], prefix: event.identifier.prefix)
                if let number = event.identifier.number {
                    if found[key]?.append(number) == nil {
                        found[key] = [number]
                        keys.append(key)
                    }
                } else {
                    singles.append(insertion(key, first: Self.single, last: Self.single, stored: 1, " ON CONFLICT DO NOTHING"))
                }
            }
        }
        var plans = keys.map { IdentityPlan(key: $0, numbers: found[$0] ?? []) }
        try decide(&plans)
        try write(plans)
        self.singles = try db.rows(singles).map { try $0.first?.int(0) }.reversed()
    }

    /// Adds the next event of the batches.
    /// - Returns: the row of its identifier; nil for a duplicate.
    mutating func add(_ identifier: NumberedIdentifier, client: Int64) -> Int64? {
        guard let number = identifier.number else { return singles.popLast() ?? nil }
        return numbers[Key(client: client, prefix: identifier.prefix)]?.take(number)
    }

    /// Compares the plans with the stored intervals.
    private func decide(_ plans: inout [IdentityPlan]) throws {
        var open = Array(plans.indices)
        while !open.isEmpty {
            let windows = try db.rows(open.compactMap { plans[$0].window })
            for (plan, rows) in zip(open, windows) { try plans[plan].decide(rows.map { try StoredInterval($0) }) }
            open.removeAll { plans[$0].window == nil }
        }
    }

    private mutating func write(_ plans: [IdentityPlan]) throws {
        let new = plans.flatMap { plan in plan.parts.filter { $0.row == nil }.map { (plan.key, $0) } }
        let insertions = new.map { key, part in
            insertion(key, first: part.numbers.lowerBound, last: part.numbers.upperBound, stored: Int64(part.numbers.count))
        }
        var ids = try db.rows(insertions).makeIterator()
        for plan in plans {
            var rows: [(part: IdentityPlan.Part, id: Int64)] = []
            for part in plan.parts {
                if let row = part.row {
                    try db.enqueue(
                        "UPDATE event_identity SET last = $1, stored = stored + $2, received = $3 WHERE id = $4",
                        [.int(part.numbers.upperBound), .init(part.numbers.count), .int(received), .int(row.id)])
                    if row.isRemembered { revived += 1 }
                    rows.append((part, row.id))
                } else {
                    guard let id = try ids.next()?.first?.int(0) else {
                        throw RelayStorageError.corrupt("an identifier has no row")
                    }
                    rows.append((part, id))
                }
            }
            if rows.count == 1, !plan.isRepeating {
                numbers[plan.key] = .consecutive(rows[0].part.numbers, row: rows[0].id)
            } else {
                let each = rows.lazy.flatMap { part, id in part.numbers.lazy.map { ($0, id) } }
                numbers[plan.key] = .scattered(Dictionary(uniqueKeysWithValues: each))
            }
        }
    }

    private func insertion(_ key: Key, first: Int64, last: Int64, stored: Int64, _ conflict: String = "") -> Statement {
        Statement(
            """
            INSERT INTO event_identity (client, prefix, first, last, stored, received) VALUES ($1, $2, $3, $4, $5, $6)\(conflict)
            RETURNING id
            """, [.int(key.client), .bytes(key.prefix), .int(first), .int(last), .int(stored), .int(received)])
    }
}

extension EventIdentities {
    fileprivate struct Key: Hashable {
        let client: Int64
        let prefix: Data
    }

    /// The numbers after one prefix that are new, and their rows.
    private enum NewNumbers {
        /// Each is added once, as most batches have them.
        case consecutive(ClosedRange<Int64>, row: Int64)
        /// Those that have not been added.
        case scattered([Int64: Int64])

        /// The row of a number, once; nil for a duplicate.
        mutating func take(_ number: Int64) -> Int64? {
            switch self {
            case .consecutive(let numbers, let row): return numbers.contains(number) ? row : nil
            case .scattered(var rows):
                self = .scattered([:])
                defer { self = .scattered(rows) }
                return rows.removeValue(forKey: number)
            }
        }
    }
}

/// A row of `event_identity` with an interval of numbers.
private struct StoredInterval {
    private static let maximum: Int64 = 999_999_999_999_999_999

    let id: Int64
    let first: Int64
    let last: Int64
    /// Whether none of its events is stored.
    let isRemembered: Bool

    /// - Throws: ``RelayStorageError`` if the row cannot be read.
    init(_ row: StorageRow) throws {
        (id, first, last, isRemembered) = (try row.int(0), try row.int(1), try row.int(2), try row.int(3) == 0)
        guard (first...Self.maximum).contains(last) else {
            throw RelayStorageError.corrupt("an interval of identifiers cannot be read")
        }
    }
}

/// Which numbers after one prefix are new, and into which rows they go.
private struct IdentityPlan {
    /// New numbers that follow each other: in a row that ended before them, or in a new one.
    struct Part {
        let numbers: ClosedRange<Int64>
        let row: StoredInterval?
    }

    private static let maximumWindow = 1_024

    let key: EventIdentities.Key
    /// Whether some number occurs again.
    let isRepeating: Bool
    private(set) var parts: [Part] = []
    /// In ascending order, each once.
    private let numbers: [Int64]
    /// The number of those that are decided.
    private var decided = 0
    /// How many stored intervals are read next.
    private var limit = 2

    init(key: EventIdentities.Key, numbers: [Int64]) {
        self.key = key
        var distinct: [Int64] = []
        for number in numbers.sorted() where number != distinct.last { distinct.append(number) }
        (self.numbers, isRepeating) = (distinct, distinct.count < numbers.count)
    }

    /// A statement for some stored intervals from the one on that begins at or before the next number; nil once all are decided.
    var window: Statement? {
        guard decided < numbers.count else { return nil }
        return Statement(
            """
            SELECT id, first, last, stored FROM event_identity
            WHERE client = $1 AND prefix = $2 AND first >= COALESCE(
                (SELECT MAX(first) FROM event_identity WHERE client = $1 AND prefix = $2 AND first <= $3 AND first >= 0), 0)
            ORDER BY first LIMIT $4
            """, [.int(key.client), .bytes(key.prefix), .int(numbers[decided]), .init(limit)])
    }

    /// Decides at least one number.
    /// - Parameter stored: the rows of ``window``.
    mutating func decide(_ stored: [StoredInterval]) throws {
        let begin = decided
        // The index of the first interval after the number.
        var next = 0
        while decided < numbers.count {
            let number = numbers[decided]
            while next < stored.count, stored[next].first <= number { next += 1 }
            // Beyond the last one that was read there may be others.
            if next == stored.count, stored.count == limit { break }
            let before = next > 0 ? stored[next - 1] : nil
            if let before, number <= before.last {
                decided += 1
                continue
            }
            var end = decided + 1
            let bound = next < stored.count ? stored[next].first : .max
            while end < numbers.count, numbers[end] == numbers[end - 1] + 1, numbers[end] < bound { end += 1 }
            parts.append(Part(numbers: number...numbers[end - 1], row: before?.last == number - 1 ? before : nil))
            decided = end
        }
        guard decided > begin else { throw RelayStorageError.corrupt("the intervals of identifiers are not in order") }
        // The window grows while each interval meets a number, and stays small where many intervals are between two numbers.
        limit = min(2 * (decided - begin) + 2, Self.maximumWindow)
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
