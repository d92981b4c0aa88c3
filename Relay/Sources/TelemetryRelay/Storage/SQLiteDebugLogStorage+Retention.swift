import Foundation
import GRDB

extension SQLiteDebugLogStorage {
    public func expire() async throws {
        let now = now()
        metrics.countDeleted(try await pool.write { try trim($0, now: now) })
    }

    public func usage() async throws -> DebugLogUsage {
        try await pool.read { db in
            DebugLogUsage(entries: try Self.numbers(db)?.count ?? 0, bytes: try Self.bytes(db))
        }
    }

    /// Deletes the oldest entries as far as a bound asks for it.
    func trim(_ db: Database, now: Date) throws -> [DebugLogRetention.Bound: Int] {
        var deleted: [DebugLogRetention.Bound: Int] = [:]
        func delete(below number: Int64, beyond bound: DebugLogRetention.Bound) throws {
            try db.execute(sql: "DELETE FROM debug_log WHERE number < ?", arguments: [number])
            if db.changesCount > 0 { deleted[bound, default: 0] += db.changesCount }
        }
        guard let numbers = try Self.numbers(db) else { return deleted }
        // In the order of arrival, so that this looks at no more than what has to go, and one.
        let young = try Int64.fetchOne(
            db, sql: "SELECT number FROM debug_log WHERE received >= ? ORDER BY number LIMIT 1",
            arguments: [now.timeIntervalSinceReferenceDate - retention.age])
        try delete(below: young ?? numbers.upperBound + 1, beyond: .age)
        try delete(below: numbers.upperBound - Int64(clamping: retention.entries) + 1, beyond: .entries)
        while case let used = try Self.bytes(db), used > retention.bytes, let numbers = try Self.numbers(db), numbers.count > 1 {
            let each = max(1, used / numbers.count)
            let excess = min(numbers.count - 1, (used - retention.bytes) / each + 1)
            try delete(below: numbers.lowerBound + Int64(excess), beyond: .bytes)
        }
        return deleted
    }

    /// The first and the last number; nil where nothing is kept. There are no holes between them: only the first ever go.
    private static func numbers(_ db: Database) throws -> ClosedRange<Int64>? {
        let row = try Row.fetchOne(db, sql: "SELECT (SELECT MIN(number) FROM debug_log), (SELECT MAX(number) FROM debug_log)")
        guard let first: Int64 = row?[0], let last: Int64 = row?[1] else { return nil }
        return first...last
    }

    /// What the database uses of its file; the rest is free for what comes.
    private static func bytes(_ db: Database) throws -> Int {
        func pragma(_ name: String) throws -> Int { try Int.fetchOne(db, sql: "PRAGMA \(name)") ?? 0 }
        return (try pragma("page_count") - pragma("freelist_count")) * (try pragma("page_size"))
    }
}
