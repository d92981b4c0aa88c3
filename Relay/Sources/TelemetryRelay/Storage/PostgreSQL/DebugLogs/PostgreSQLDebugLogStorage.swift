#if PostgreSQL
public import Foundation
import PostgreSQLClient
@_spi(Tooling) import TelemetryModels

/// Stores debug log entries in a PostgreSQL database, which several relays share.
///
/// One transaction at a time, of all relays, stores entries: numbers have no gaps, and become visible in order.
public struct PostgreSQLDebugLogStorage: DebugLogStorage {
    /// True.
    public var isShared: Bool { true }
    let database: PostgreSQLDatabase
    let arrival: PostgreSQLArrival
    let retention: DebugLogRetention
    let metrics: RelayMetrics

    /// Connects, and creates or updates the tables in the first schema of the connection's search path.
    /// - Parameters:
    ///   - url: `postgresql://USER@HOST/NAME`, with any of libpq's parameters, such as `sslmode`.
    ///   - retention: the retention limits.
    ///   - metrics: counts deleted entries.
    ///   - now: the wall clock, which measures the time between two runs.
    ///   - uptime: a monotonic clock, which measures the age of entries; nil uses one that advances while the machine sleeps.
    /// - Throws: ``RelayStorageError``.
    public init(
        url: String, retention: DebugLogRetention = .init(), metrics: RelayMetrics = .init(),
        now: @escaping @Sendable () -> Date = { .now }, uptime: (@Sendable () -> Duration)? = nil
    ) async throws {
        var configuration = RelayStorageConfiguration()
        (configuration.now, configuration.uptime) = (now, uptime)
        configuration.events.age = retention.age
        do {
            database = try await PostgreSQLDatabase.open(
                try PostgreSQLAddress(url), configuration, connections: 2, storesEvents: false)
        } catch let error as PostgreSQLError {
            throw RelayStorageError(error)
        }
        arrival = PostgreSQLArrival(database.store, configuration)
        self.retention = retention
        self.metrics = metrics
    }

    public func store(_ entries: [DebugLog]) async throws -> Int {
        let rows = try entries.map { PostgreSQLDebugLogRow($0, payload: try $0.payloadText) }
        let (stored, deleted) = try await database.write { [self] connection in
            let next = try await connection.execute(
                "SELECT next_debug_log FROM relay_state WHERE id = 1 FOR UPDATE"
            ).row.int(0)
            let stored = try await PostgreSQLDebugLogRow.insert(rows, first: next, received: arrival.now, connection)
            return (stored, try await trim(connection))
        }
        metrics.countDeleted(deleted)
        return stored
    }

    public func page(of query: DebugLogQuery) async throws -> DebugLogPage {
        let (sql, values) = PostgreSQLDebugLogRow.selection(query)
        return try await database.read { connection in
            // Before the entries, so that an entry that is stored meanwhile does not lie behind the cursor.
            let newest = try await connection.execute("SELECT next_debug_log - 1 FROM relay_state").row.int(0)
            var found = DebugLogPage.Found(for: query)
            for row in try await connection.execute(sql, values).rows {
                let (number, size) = (try row.int(0), Int(try row.int(1)))
                guard query.isDescending || number <= newest else { break }
                guard found.hasRoom(for: size), !row.isNull(2) else {
                    _ = found.hasRoom(for: .max)
                    break
                }
                guard let entry = try? PostgreSQLDebugLogRow.entry(row) else {
                    metrics.countUnreadable()
                    continue
                }
                found.add(entry, number: number, size: size)
            }
            return DebugLogPage(found, newest: newest)
        }
    }

    public func expire() async throws {
        metrics.countDeleted(
            try await database.write { [self] connection in
                try await arrival.save(connection)
                let deleted = try await trim(connection)
                try await connection.execute(PostgreSQLDebugLogRow.combination)
                return deleted
            })
    }

    public func usage() async throws -> DebugLogUsage {
        try await database.read { connection in
            let row = try await connection.execute(PostgreSQLDebugLogRow.totals).row
            return DebugLogUsage(entries: Int(try row.int(0)), bytes: Int(try row.int(1)))
        }
    }

    /// Closes the connections.
    public func close() async {
        await database.close { try? await database.write { [arrival] in try await arrival.save($0) } }
    }

    /// Deletes the oldest entries beyond the retention limits.
    private func trim(_ connection: PostgreSQLConnection) async throws -> [DebugLogRetention.Bound: Int] {
        var deleted: [DebugLogRetention.Bound: Int] = [:]
        func delete(_ bound: DebugLogRetention.Bound, _ condition: String, _ values: [PostgreSQLValue]) async throws {
            let count = try await connection.execute(PostgreSQLDebugLogRow.deletion(where: condition), values).row.int(0)
            if count > 0 { deleted[bound, default: 0] += Int(count) }
        }
        let now = arrival.now
        // In order of arrival. An arrival later than now plus the retention age does not keep older entries.
        try await delete(
            .age,
            """
            number < COALESCE((
                SELECT MIN(number) FROM debug_log WHERE received BETWEEN $1::float8 AND $2::float8
            ), 9223372036854775807)
            """, [.double(now - retention.age), .double(now + retention.age)])
        try await delete(
            .entries, "number <= (SELECT MAX(number) FROM debug_log) - $1::bigint", [.int64(Int64(retention.entries))])
        try await delete(
            .bytes,
            """
            number < (
                SELECT MIN(number) FROM (
                    SELECT number, SUM(\(PostgreSQLDebugLogRow.size)) OVER (ORDER BY number DESC) AS total,
                        row_number() OVER (ORDER BY number DESC) AS position
                    FROM debug_log
                ) AS newest WHERE total <= $1::bigint OR position = 1
            ) AND (SELECT SUM(bytes) FROM debug_log_count) > $1::bigint
            """, [.int64(Int64(retention.bytes))])
        return deleted
    }
}
#endif
