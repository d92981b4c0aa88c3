#if PostgreSQL
public import Foundation
@_spi(Tooling) import TelemetryModels

/// Stores debug log entries in a PostgreSQL database, which several relays share.
///
/// One transaction at a time, of all relays, stores entries: numbers have no gaps, and become visible in order.
public struct PostgreSQLDebugLogStorage: DebugLogStorage {
    /// The row of counters, and both clocks at the last write.
    private struct State {
        var next: Int64
        var bytes: Int64
        let arrival: TimeInterval

        static func fetch(_ db: any StorageConnection) throws -> State {
            guard let row = try db.rows("SELECT next, bytes, arrival FROM debug_log_state WHERE id = 1").first else {
                throw RelayStorageError.corrupt("debug_log_state is empty")
            }
            return State(next: try row.int(0), bytes: try row.int(1), arrival: try row.double(2))
        }

        func save(_ db: any StorageConnection, arrival: TimeInterval, wall: TimeInterval) throws {
            try db.enqueue(
                "UPDATE debug_log_state SET next = $1, bytes = $2, arrival = $3, wall = GREATEST(wall, $4) WHERE id = 1",
                [.int(next), .int(bytes), .double(arrival), .double(wall)])
        }
    }

    /// True.
    public var isShared: Bool { true }
    private let database: PostgreSQLDatabase
    private let clock: ArrivalClock
    private let retention: DebugLogRetention
    private let metrics: RelayMetrics
    private let now: @Sendable () -> Date

    /// Connects, and creates the tables in the first schema of the connection's search path, unless they exist.
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
        (self.retention, self.metrics, self.now) = (retention, metrics, now)
        database = try await PostgreSQLDatabase.open(url, .init(), parts: [.debugLogs], connections: 1, queries: 1)
        let wall = now().timeIntervalSinceReferenceDate
        let saved = try await database.whileOpening { db in
            try db.enqueue("INSERT INTO debug_log_state VALUES (1, 1, 0, $1, $1) ON CONFLICT DO NOTHING", [.double(wall)])
            let row = try db.rows("SELECT arrival, wall FROM debug_log_state WHERE id = 1").first
            return ArrivalClock.Saved(arrival: try row?.double(0) ?? wall, wall: try row?.double(1) ?? wall)
        }
        clock = ArrivalClock(after: saved, wall: wall, age: retention.age, uptime: uptime ?? ArrivalClock.continuous())
    }

    public func store(_ entries: [DebugLog]) async throws -> Int {
        let rows = try entries.map { ($0, try $0.payloadText) }
        let (stored, deleted) = try await change { db, state, now in
            let known = try db.rows(
                rows.map { Statement("SELECT id FROM debug_log WHERE id = $1", [Self.bytes($0.0.id)]) })
            var new = Set(zip(rows, known).filter { $1.isEmpty }.map { $0.0.0.id })
            let first = state.next
            for (entry, payload) in rows where new.remove(entry.id) != nil {
                let text = Self.folded("\(entry.event)\n\(payload)")
                try db.enqueue(
                    "INSERT INTO debug_log VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
                    [
                        .int(state.next), Self.bytes(entry.id), Self.bytes(entry.correlationId), .init(entry.timestamp),
                        .text(entry.source.rawValue), .text(entry.level.rawValue), .bytes(Data(entry.event.utf8)),
                        .bytes(Data(payload.utf8)), entry.deviceId.map(Self.bytes) ?? .null, Self.bytes(entry.sessionId),
                        .double(now), .bytes(text),
                    ])
                state.next += 1
                state.bytes += Int64(Self.overhead + entry.event.utf8.count + payload.utf8.count + text.count)
            }
            return (Int(state.next - first), try trim(db, &state, now))
        }
        metrics.countDeleted(deleted)
        return stored
    }

    public func page(of query: DebugLogQuery) async throws -> DebugLogPage {
        let statement = Self.selection(query)
        return try await database.read { db in
            let newest = try State.fetch(db).next - 1
            var found = DebugLogPage.Found(for: query)
            for row in try db.rows(statement) {
                let (number, size) = (try row.int(0), Int(try row.int(1)))
                // An entry that cannot be read counts in the statement, but not here.
                guard found.hasRoom(for: size), try row.optionalBytes(2) != nil else {
                    _ = found.hasRoom(for: .max)
                    break
                }
                guard let entry = try? Self.entry(row) else {
                    metrics.countUnreadable()
                    continue
                }
                found.add(entry, number: number, size: size)
            }
            return DebugLogPage(found, newest: newest)
        }
    }

    public func expire() async throws { metrics.countDeleted(try await change { try trim($0, &$1, $2) }) }

    public func usage() async throws -> DebugLogUsage {
        try await database.read { db in
            let (state, first) = (try State.fetch(db), try db.int("SELECT MIN(number) FROM debug_log"))
            // Only the first entries are deleted, so that numbers have no gaps.
            return DebugLogUsage(entries: Int(state.next - (first ?? state.next)), bytes: Int(state.bytes))
        }
    }

    /// Closes the connections.
    public func close() async { await database.close {} }

    private func change<Value: Sendable>(
        _ body: @escaping @Sendable (any StorageConnection, inout State, TimeInterval) throws -> Value
    ) async throws -> Value {
        try await database.write(.debugLogs) { [clock, now] db in
            var state = try State.fetch(db)
            let arrival = max(state.arrival, clock.now)
            let value = try body(db, &state, arrival)
            try state.save(db, arrival: arrival, wall: now().timeIntervalSinceReferenceDate)
            return value
        }
    }

    /// Deletes the oldest entries beyond the retention limits.
    private func trim(
        _ db: any StorageConnection, _ state: inout State, _ now: TimeInterval
    ) throws -> [DebugLogRetention.Bound: Int] {
        var deleted: [DebugLogRetention.Bound: Int] = [:]
        func delete(_ bound: DebugLogRetention.Bound, _ condition: String, _ values: [StorageValue]) throws {
            let sizes = try db.rows("DELETE FROM debug_log WHERE \(condition) RETURNING \(Self.size)", values)
            state.bytes -= try sizes.reduce(0) { $0 + (try $1.int(0)) }
            if !sizes.isEmpty { deleted[bound, default: 0] += sizes.count }
        }
        // In order of arrival. An arrival later than now plus the retention age does not keep older entries.
        try delete(
            .age,
            """
            number < COALESCE((SELECT MIN(number) FROM debug_log WHERE received BETWEEN $1 AND $2), 9223372036854775807)
            """, [.double(now - retention.age), .double(now + retention.age)])
        try delete(.entries, "number < $1", [.int(state.next - Int64(retention.entries))])
        guard state.bytes > retention.bytes else { return deleted }
        try delete(
            .bytes,
            """
            number < (
                SELECT MIN(number) FROM (
                    SELECT number, SUM(\(Self.size)) OVER (ORDER BY number DESC) AS total,
                        row_number() OVER (ORDER BY number DESC) AS position
                    FROM debug_log
                ) AS newest WHERE total <= $1 OR position = 1
            )
            """, [.init(retention.bytes)])
        return deleted
    }
}

extension PostgreSQLDebugLogStorage {
    private static let overhead = 200
    /// The approximate size of a row in bytes.
    private static let size = "(\(overhead) + octet_length(event) + octet_length(payload) + octet_length(text))"

    /// Folds the case of ASCII letters only.
    private static func folded(_ text: String) -> Data {
        Data(text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 })
    }

    /// A statement for the entries that match a query, up to one more than its limit. The entries beyond the size limit of a page have no
    /// payload.
    private static func selection(_ query: DebugLogQuery) -> Statement {
        let order = query.isDescending ? "DESC" : "ASC"
        let sizes = "octet_length(event) + octet_length(payload)"
        var statement = Statement(
            """
            SELECT number, \(sizes), CASE WHEN position = 1 OR total <= \(DebugLogPage.byteLimit) THEN payload END, id,
                correlation_id, timestamp, source, level, event, device_id, session_id
            FROM (
                SELECT *, row_number() OVER arrivals AS position, SUM(\(sizes)) OVER arrivals AS total FROM (
                    SELECT * FROM debug_log WHERE true
            """)
        func add(_ condition: String, _ value: StorageValue?, _ end: String = "") {
            if let value { statement.sql += " AND \(condition) \(statement.parameter(value))\(end)" }
        }
        add("number \(query.isDescending ? "<" : ">")", query.cursor.map { .int($0) })
        add("source =", query.source.map { .text($0.rawValue) })
        add("level =", query.level.map { .text($0.rawValue) })
        add("event =", query.event.map { .bytes(Data($0.utf8)) })
        add("correlation_id =", query.correlationId.map(bytes))
        add("session_id =", query.sessionId.map(bytes))
        add("device_id =", query.deviceId.map(bytes))
        add("timestamp >=", query.since.map { .init($0) })
        add("timestamp <", query.until.map { .init($0) })
        add("instr(text,", query.text.map { .bytes(folded($0)) }, ") > 0")
        statement.sql += """
             ORDER BY number \(order) LIMIT \(min(query.limit, 1_000_000) + 1)
                ) AS matching WINDOW arrivals AS (ORDER BY number \(order) ROWS UNBOUNDED PRECEDING)
            ) AS page ORDER BY number \(order)
            """
        return statement
    }

    /// - Throws: if a column does not contain what this relay stores.
    private static func entry(_ row: StorageRow) throws -> DebugLog {
        guard let source = DebugLog.Source(rawValue: try row.text(6)), let level = DebugLog.Level(rawValue: try row.text(7)),
            let timestamp = try row.date(5), TimestampText.string(from: timestamp) != nil
        else { throw RelayStorageError.corrupt("an entry cannot be read") }
        return DebugLog(
            id: UUID(try row.bytes(3)), correlationId: UUID(try row.bytes(4)), timestamp: timestamp, source: source,
            level: level, event: String(decoding: try row.bytes(8), as: UTF8.self),
            payload: try JSONDecoder().decode([String: JSONValue].self, from: try row.bytes(2)),
            deviceId: try row.optionalBytes(9).map(UUID.init), sessionId: UUID(try row.bytes(10)))
    }

    private static func bytes(_ id: UUID) -> StorageValue { .bytes(withUnsafeBytes(of: id.uuid) { Data($0) }) }
}

extension UUID {
    /// - Parameter bytes: 16 bytes.
    fileprivate init(_ bytes: Data) {
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &value) { _ = bytes.prefix(16).copyBytes(to: $0) }
        self.init(uuid: value)
    }
}
#endif
