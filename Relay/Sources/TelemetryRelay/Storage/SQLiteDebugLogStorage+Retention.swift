import Foundation
import GRDB

extension SQLiteDebugLogStorage {
    public func expire() async throws {
        let wall = now().timeIntervalSinceReferenceDate
        metrics.countDeleted(
            try await database.write { db in
                let now = clock.now
                try Self.saveClock(db, arrival: now, wall: wall)
                return try trim(db, now: now)
            })
    }

    public func usage() async throws -> DebugLogUsage {
        try await database.read { db in
            DebugLogUsage(entries: try Self.numbers(db).map(Self.count(of:)) ?? 0, bytes: try Self.bytes(db))
        }
    }

    /// Deletes the oldest entries beyond the retention limits.
    func trim(_ db: Database, now: TimeInterval) throws -> [DebugLogRetention.Bound: Int] {
        var deleted: [DebugLogRetention.Bound: Int] = [:]
        func delete(where condition: String, _ number: Int64, beyond bound: DebugLogRetention.Bound) throws {
            try db.execute(sql: "DELETE FROM debug_log WHERE number \(condition) ?", arguments: [number])
            if db.changesCount > 0 { deleted[bound, default: 0] += db.changesCount }
        }
        guard let numbers = try Self.numbers(db) else { return deleted }
        // In order of arrival, so that this reads only the entries to delete and one more. An arrival later than now plus the
        // retention age is not a time that this relay wrote, and does not keep older entries.
        let young = try Int64.fetchOne(
            db, sql: "SELECT number FROM debug_log WHERE received BETWEEN ? AND ? ORDER BY number LIMIT 1",
            arguments: [now - retention.age, now + retention.age])
        try delete(where: young == nil ? "<=" : "<", young ?? numbers.upperBound, beyond: .age)
        let (last, isBelowAll) = numbers.upperBound.subtractingReportingOverflow(Int64(clamping: retention.entries))
        if !isBelowAll { try delete(where: "<=", last, beyond: .entries) }
        while case let used = try Self.bytes(db), used > retention.bytes, let numbers = try Self.numbers(db) {
            let count = Self.count(of: numbers)
            guard count > 1 else { break }
            let each = max(1, used / count)
            let excess = min(count - 1, (used - retention.bytes) / each + 1)
            try delete(where: "<", numbers.lowerBound + Int64(excess), beyond: .bytes)
        }
        return deleted
    }

    /// The number of values in the range, which in a damaged file may overflow.
    private static func count(of numbers: ClosedRange<Int64>) -> Int {
        let (distance, overflows) = numbers.upperBound.subtractingReportingOverflow(numbers.lowerBound)
        return overflows || distance == .max ? .max : Int(distance) + 1
    }

    /// The first and the last number; nil if there are no entries. Numbers are consecutive, because only the first ones are
    /// deleted.
    private static func numbers(_ db: Database) throws -> ClosedRange<Int64>? {
        let row = try Row.fetchOne(db, sql: "SELECT (SELECT MIN(number) FROM debug_log), (SELECT MAX(number) FROM debug_log)")
        guard let first: Int64 = row?[0], let last: Int64 = row?[1] else { return nil }
        return first...last
    }

    /// The approximate bytes of all entries.
    private static func bytes(_ db: Database) throws -> Int {
        try Int.fetchOne(db.cachedStatement(sql: "SELECT bytes FROM debug_log_size")) ?? 0
    }
}
