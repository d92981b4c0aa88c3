#if PostgreSQL
import Foundation
import PostgreSQLClient

/// Writes batches with one statement, which is a transaction of its own: identities, events, counts and times.
struct PostgreSQLEventWriter: Sendable {
    /// The result of one transaction.
    struct Outcome: Sendable {
        var results: [RelayAppendResult]
        /// The number of the last stored event; nil if all events were duplicates.
        var last: Int64?
        /// The number and the size of the stored events.
        var added: PostgreSQLEventTotals
    }

    /// Identities are inserted in order, so that two transactions with the same events do not wait for each other.
    private static let statement = """
        WITH fresh AS (
            INSERT INTO event_identity (identity)
            SELECT identity FROM unnest($1::uuid[]) AS input (identity) ORDER BY identity
            ON CONFLICT DO NOTHING RETURNING identity
        ), written AS (
            INSERT INTO event (
                number, received, seconds, nanoseconds, level, identity, client, session, name, scenario, body)
            SELECT ((pg_current_xact_id()::text::bigint + $10::bigint) << \(PostgreSQLStore.ordinalBits)) + position, $11::bigint,
                seconds, nanoseconds, level, identity, client, session, name, scenario, body
            FROM unnest(
                $1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::bigint[], $7::integer[], $8::smallint[], $9::bytea[]
            ) WITH ORDINALITY
            AS input (identity, client, session, name, scenario, seconds, nanoseconds, level, body, position)
            JOIN fresh USING (identity)
            RETURNING number, seconds, octet_length(body) + \(PostgreSQLEventTrimmer.size(ofBody: 0)) AS size
        ), counted AS (
            INSERT INTO event_count SELECT COUNT(*), SUM(size), 0 FROM written HAVING COUNT(*) > 0
        ), spanned AS (
            \(PostgreSQLEventSpans.addition)
        )
        SELECT (SELECT array_agg((number & \((1 << PostgreSQLStore.ordinalBits) - 1))::integer) FROM written),
            (SELECT MAX(number) FROM written), (SELECT COALESCE(SUM(size), 0)::bigint FROM written)
        """

    let database: PostgreSQLDatabase
    let partitions: PostgreSQLEventPartitions
    let arrival: PostgreSQLArrival

    /// Writes all batches or, if it throws, none; if the connection is lost during the call, one or the other.
    func write(_ batches: [PostgreSQLEventBatch]) async throws -> Outcome {
        // The first occurrence of an identity is the event; the others are duplicates.
        var identities: Set<PostgreSQLKey> = []
        var rows: [PostgreSQLEventBatch.Row] = []
        var owners: [Int] = []
        for (index, batch) in batches.enumerated() {
            for row in batch.rows where identities.insert(row.identity).inserted {
                rows.append(row)
                owners.append(index)
            }
        }
        let received = ArrivalTime.milliseconds(arrival.now)
        let result = try await insert(rows, received: received)
        var stored = [Int](repeating: 0, count: batches.count)
        let positions = try result.int32s(0)
        for position in positions { stored[owners[Int(position) - 1]] += 1 }
        return Outcome(
            results: zip(batches, stored).map { RelayAppendResult(stored: $1, duplicates: $0.rows.count - $1) },
            last: try result.optionalInt(1),
            added: .init(events: Int64(positions.count), bytes: try result.int(2), remembered: 0))
    }

    private func insert(_ rows: [PostgreSQLEventBatch.Row], received: Int64) async throws -> PostgreSQLRow {
        let values: [PostgreSQLValue] = [
            .uuids(rows.map(\.identity)), .uuids(rows.map(\.client)), .uuids(rows.map(\.session)), .uuids(rows.map(\.name)),
            .uuids(rows.map(\.scenario)), .int64s(rows.map(\.time.seconds)), .int32s(rows.map(\.time.nanoseconds)),
            .int16s(rows.map(\.level)), .byteStrings(rows.map(\.body)), .int64(database.store.transactionOffset),
            .int64(received),
        ]
        try await partitions.prepare(for: received)
        do {
            return try await database.pool.execute(Self.statement, values).row
        } catch let error as PostgreSQLError where error.state == "23514" {
            // Another relay, with a faster clock, has dropped the partition.
            try await partitions.prepare(for: received, isKnownMissing: true)
            return try await database.pool.execute(Self.statement, values).row
        }
    }
}

/// The sums of `event_count`.
struct PostgreSQLEventTotals: Sendable {
    static let columns = """
        COALESCE(SUM(events), 0)::bigint, COALESCE(SUM(bytes), 0)::bigint, COALESCE(SUM(remembered), 0)::bigint
        """

    var events: Int64
    var bytes: Int64
    var remembered: Int64

    init(events: Int64, bytes: Int64, remembered: Int64) {
        (self.events, self.bytes, self.remembered) = (events, bytes, remembered)
    }

    static func += (totals: inout Self, added: Self) {
        totals.events += added.events
        totals.bytes += added.bytes
        totals.remembered += added.remembered
    }

    static func fetch(_ connection: PostgreSQLConnection) async throws -> PostgreSQLEventTotals {
        let row = try await connection.execute("SELECT \(columns) FROM event_count").row
        return PostgreSQLEventTotals(events: try row.int(0), bytes: try row.int(1), remembered: try row.int(2))
    }
}
#endif
