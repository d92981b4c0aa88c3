#if PostgreSQL
import Foundation
import PostgreSQLClient
import Synchronization

/// The partitions of the table of events, each for a range of arrival times.
final class PostgreSQLEventPartitions: Sendable {
    struct Partition: Sendable {
        let id: Int64
        /// Milliseconds of the arrival clock; the upper bound is excluded.
        let range: Range<Int64>

        var table: String { "event_partition_\(id)" }
    }

    /// The range of a new partition: a day for the default retention.
    private let width: Int64
    private let pool: PostgreSQLPool
    private let known = Mutex<[Range<Int64>]>([])

    init(_ pool: PostgreSQLPool, age: TimeInterval) {
        self.pool = pool
        width = max(60_000, Int64(min(age, 1e10) * 1000) / 30)
    }

    /// Creates the partition for an arrival time, if there is none.
    func prepare(for received: Int64, isKnownMissing: Bool = false) async throws {
        guard isKnownMissing || !known.withLock({ $0.contains { $0.contains(received) } }) else { return }
        let partitions = try await pool.transaction { [width] connection in
            try await connection.execute("SELECT pg_advisory_xact_lock(1819307364, hashtext(current_schema()::text))")
            let partitions = try await Self.fetch(connection)
            if partitions.contains(where: { $0.range.contains(received) }) { return partitions }
            // Other relays may have created partitions of another width.
            let start = received - ((received % width) + width) % width
            let lower = max(start, partitions.map(\.range.upperBound).filter { $0 <= received }.max() ?? .min)
            let upper = min(start + width, partitions.map(\.range.lowerBound).filter { $0 > received }.min() ?? .max)
            return partitions + [try await Self.create(lower..<upper, connection)]
        }
        known.withLock { $0 = partitions.map(\.range) }
    }

    /// Creates the partitions for an arrival time and the next one, so that no request has to wait for it.
    func prepareAhead(of received: Int64) async throws {
        try await prepare(for: received)
        try await prepare(for: received + width)
    }

    static func fetch(_ connection: PostgreSQLConnection) async throws -> [Partition] {
        try await connection.execute("SELECT id, lower, upper FROM event_partition ORDER BY lower").rows.map { row in
            Partition(id: try row.int(0), range: try row.int(1)..<row.int(2))
        }
    }

    private static func create(_ range: Range<Int64>, _ connection: PostgreSQLConnection) async throws -> Partition {
        let id = try await connection.execute(
            "INSERT INTO event_partition (lower, upper) VALUES ($1::bigint, $2::bigint) RETURNING id",
            [.int64(range.lowerBound), .int64(range.upperBound)]
        ).row.int(0)
        let partition = Partition(id: id, range: range)
        // Attaching a table lets readers and writers go on, unlike creating it as a partition.
        try await connection.run("CREATE TABLE \(partition.table) (LIKE event INCLUDING ALL)")
        try await connection.run(
            """
            ALTER TABLE event ATTACH PARTITION \(partition.table)
            FOR VALUES FROM ('\(range.lowerBound)') TO ('\(range.upperBound)')
            """)
        return partition
    }

    /// Drops a partition as a part of a transaction.
    static func drop(_ partition: Partition, _ connection: PostgreSQLConnection) async throws {
        try await connection.run("DROP TABLE \(partition.table)")
        try await connection.execute("DELETE FROM event_partition WHERE id = $1::integer", [.int32(Int32(partition.id))])
    }

    /// Forgets which partitions exist.
    func forget() { known.withLock { $0 = [] } }
}
#endif
