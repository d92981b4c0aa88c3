#if PostgreSQL
import Foundation
import PostgreSQLClient

/// Deletes events beyond the retention limits, oldest arrivals first.
///
/// Expired events of a large store are deleted by dropping partitions. Everything else is deleted a few events at a time.
struct PostgreSQLEventTrimmer: Sendable {
    /// The maximum number of events that one transaction deletes, in addition to the number that it stores.
    static let step = 500

    /// The approximate size of an event in bytes: its body and its table and index data.
    static func size(ofBody bytes: Int) -> Int64 { Int64(bytes) + 200 }

    /// The maximum number of events in a store whose expired events are deleted one by one. The events of a larger store expire
    /// with their partition, up to a thirtieth of the retention age later.
    private static let small: Int64 = 100_000

    /// Deletes events, records them as expired, and keeps the identities of recent ones.
    private static let deletion = """
        WITH gone AS (
            DELETE FROM event WHERE number = ANY($1::bigint[])
            RETURNING number, identity, client, received, octet_length(body) + \(size(ofBody: 0)) AS size
        ), remembered AS (
            INSERT INTO event_deleted SELECT number, identity, received FROM gone WHERE received >= $2::bigint
        ), freed AS (
            DELETE FROM event_identity AS i USING gone WHERE i.identity = gone.identity AND gone.received < $2::bigint
        ), runs AS (
            INSERT INTO event_expired (client, first, last, count)
            SELECT client, MIN(number), MAX(number), COUNT(*) FROM gone WHERE $3::boolean
            GROUP BY client, number >> \(PostgreSQLStore.ordinalBits)
        ), counted AS (
            INSERT INTO event_count SELECT -COUNT(*), -SUM(size), COUNT(*) FILTER (WHERE received >= $2::bigint)
            FROM gone HAVING COUNT(*) > 0
        )
        SELECT COUNT(*) FROM gone
        """

    let retention: RelayEventRetention
    let runs: ExpiredRuns
    let arrival: PostgreSQLArrival

    /// Whether a store with these counts may have events beyond a limit.
    /// - Parameter oldest: the earliest arrival of an event; nil if it is unknown.
    func isNeeded(_ totals: PostgreSQLEventTotals, oldest: Int64?) -> Bool {
        if totals.events > Int64(retention.capacity) || totals.bytes > Int64(retention.bytes) { return true }
        return totals.events <= Self.small && oldest.map { $0 < expiry } ?? true
    }

    /// The earliest arrival that has not expired.
    private var expiry: Int64 { ArrivalTime.milliseconds(arrival.now - retention.age) }
    /// The earliest arrival whose identity is kept after its event is deleted.
    private var cutoff: Int64 { ArrivalTime.milliseconds(arrival.now - retention.dedupeWindow) }

    /// Deletes events by number, as a part of a transaction.
    /// - Returns: the number of deleted events.
    func delete(_ numbers: [Int64], isExpiry: Bool, _ connection: PostgreSQLConnection) async throws -> Int {
        let values: [PostgreSQLValue] = [.int64s(numbers), .int64(cutoff), .bool(isExpiry)]
        return Int(try await connection.execute(Self.deletion, values).row.int(0))
    }

    /// Deletes at most `limit` events within the current transaction.
    /// - Returns: nil if another relay deletes events now.
    func trim(atMost limit: Int, _ connection: PostgreSQLConnection) async throws -> Trimming? {
        guard try await isOnlyTrimmer(connection) else { return nil }
        let totals = try await PostgreSQLEventTotals.fetch(connection)
        let rows = try await connection.execute(
            "SELECT number, received, octet_length(body) FROM event ORDER BY number LIMIT $1::bigint", [.int64(Int64(limit))]
        ).rows
        var excess = Excess(retention, totals, expiry: totals.events <= Self.small ? expiry : .min)
        var oldest: Int64?
        for row in rows {
            oldest = try row.int(1)
            guard try excess.takes(number: try row.int(0), received: try row.int(1), size: try row.int(2)) else { break }
            oldest = nil
        }
        if !excess.numbers.isEmpty { _ = try await delete(excess.numbers, isExpiry: true, connection) }
        return Trimming(counts: excess.counts, oldest: oldest, left: excess.totals)
    }

    struct Trimming: Sendable {
        /// The number of deleted events by limit.
        let counts: [RelayEventRetention.Bound: Int]
        /// The earliest arrival of an event that is left.
        let oldest: Int64?
        let left: PostgreSQLEventTotals
    }

    /// Takes the lock that allows one relay at a time to delete events, until the end of the transaction.
    private func isOnlyTrimmer(_ connection: PostgreSQLConnection) async throws -> Bool {
        try await connection.execute(
            "SELECT pg_try_advisory_xact_lock(1819307365, hashtext(current_schema()::text))"
        ).row.bool(0)
    }

    /// Drops the oldest partition, if all of its events have expired.
    /// - Returns: the number of dropped events; nil if no partition has expired.
    func dropPartition(_ connection: PostgreSQLConnection) async throws -> Int? {
        guard try await isOnlyTrimmer(connection), let oldest = try await PostgreSQLEventPartitions.fetch(connection).first,
            oldest.range.upperBound <= expiry
        else { return nil }
        // Waits for readers, who wait for this transaction in turn; it is tried again if that takes long.
        try await connection.run("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '2s'")
        let row = try await connection.execute(
            """
            SELECT COUNT(*), COALESCE(SUM(octet_length(body) + \(Self.size(ofBody: 0))), 0)::bigint,
                COUNT(*) FILTER (WHERE received >= \(cutoff)) FROM \(oldest.table)
            """, isUnlimited: true
        ).row
        try await connection.run(
            """
            INSERT INTO event_count VALUES (-\(try row.int(0)), -\(try row.int(1)), \(try row.int(2)));
            INSERT INTO event_expired (client, first, last, count) SELECT client, MIN(number), MAX(number), COUNT(*)
                FROM \(oldest.table) GROUP BY client, number >> \(PostgreSQLStore.ordinalBits + 10);
            INSERT INTO event_deleted SELECT number, identity, received FROM \(oldest.table) WHERE received >= \(cutoff);
            DELETE FROM event_identity AS i USING \(oldest.table) AS e
                WHERE i.identity = e.identity AND e.received < \(cutoff);
            """, isUnlimited: true)
        try await PostgreSQLEventPartitions.drop(oldest, connection)
        return Int(try row.int(0))
    }

    /// Removes identities of deleted events that are too old or too many, and combines the rows that count events and those with their times.
    /// - Returns: whether there may be more to remove.
    func tidy(atMost limit: Int, _ connection: PostgreSQLConnection) async throws -> Bool {
        guard try await isOnlyTrimmer(connection) else { return false }
        let surplus = max(0, try await PostgreSQLEventTotals.fetch(connection).remembered - Int64(retention.dedupeCapacity))
        let removed = try await connection.execute(
            """
            WITH oldest AS (
                SELECT number, received, row_number() OVER (ORDER BY number) AS position
                FROM event_deleted ORDER BY number LIMIT $1::bigint
            ), gone AS (
                DELETE FROM event_deleted AS d USING oldest AS o
                WHERE d.number = o.number AND (o.received < $2::bigint OR o.position <= $3::bigint) RETURNING d.identity
            ), freed AS (
                DELETE FROM event_identity AS i USING gone WHERE i.identity = gone.identity
            ), counted AS (
                INSERT INTO event_count SELECT 0, 0, -COUNT(*) FROM gone HAVING COUNT(*) > 0
            )
            SELECT COUNT(*) FROM gone
            """, [.int64(Int64(limit)), .int64(cutoff), .int64(surplus)]
        ).row.int(0)
        try await connection.execute(
            """
            WITH gone AS (DELETE FROM event_count WHERE (SELECT COUNT(*) FROM event_count) > 1 RETURNING *)
            INSERT INTO event_count SELECT SUM(events), SUM(bytes), SUM(remembered) FROM gone HAVING COUNT(*) > 0
            """)
        try await PostgreSQLEventSpans.combine(connection)
        if let bounds = try await connection.execute(runs.bounds).rows.first {
            for sql in runs.combine(last: try bounds.int(0), newest: try bounds.int(1)) { try await connection.execute(sql) }
        }
        return removed == limit
    }

    /// The oldest events beyond a limit.
    private struct Excess {
        private let retention: RelayEventRetention
        private(set) var totals: PostgreSQLEventTotals
        private let expiry: Int64
        private var isBeyond: (capacity: Bool, bytes: Bool)
        private(set) var numbers: [Int64] = []
        private(set) var counts: [RelayEventRetention.Bound: Int] = [:]

        init(_ retention: RelayEventRetention, _ totals: PostgreSQLEventTotals, expiry: Int64) {
            (self.retention, self.totals, self.expiry) = (retention, totals, expiry)
            isBeyond = (totals.events > Int64(retention.capacity), totals.bytes > Int64(retention.bytes))
        }

        /// - Returns: false if this event and all later ones are kept.
        mutating func takes(number: Int64, received: Int64, size: Int64) throws -> Bool {
            // A thousandth below the limit, so that not every request has to delete.
            let bound: RelayEventRetention.Bound
            if received < expiry {
                bound = .age
            } else if isBeyond.capacity, totals.events > Int64(retention.capacity - retention.capacity / 1000) {
                bound = .capacity
            } else if isBeyond.bytes, totals.bytes > Int64(retention.bytes - retention.bytes / 1000), totals.events > 1 {
                bound = .bytes
            } else {
                return false
            }
            counts[bound, default: 0] += 1
            numbers.append(number)
            totals.events -= 1
            totals.bytes -= size + PostgreSQLEventTrimmer.size(ofBody: 0)
            return true
        }
    }
}
#endif
