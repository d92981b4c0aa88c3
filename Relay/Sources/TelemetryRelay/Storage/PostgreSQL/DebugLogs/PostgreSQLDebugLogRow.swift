#if PostgreSQL
import Foundation
import PostgreSQLClient
@_spi(Tooling) import TelemetryModels

/// Converts between entries and rows.
struct PostgreSQLDebugLogRow: Sendable {
    /// The approximate size of a row in bytes.
    static let size = "(200 + octet_length(event) + octet_length(payload) + octet_length(text))"
    /// The number and the size of all entries.
    static let totals = "SELECT COALESCE(SUM(entries), 0)::bigint, COALESCE(SUM(bytes), 0)::bigint FROM debug_log_count"

    /// Combines the rows that count entries.
    static let combination = """
        WITH gone AS (DELETE FROM debug_log_count RETURNING *)
        INSERT INTO debug_log_count SELECT SUM(entries), SUM(bytes) FROM gone HAVING COUNT(*) > 0
        """

    private let entry: DebugLog
    private let payload: [UInt8]
    private let text: [UInt8]

    init(_ entry: DebugLog, payload: String) {
        self.entry = entry
        self.payload = Array(payload.utf8)
        text = Self.folded("\(entry.event)\n\(payload)")
    }

    /// Folds the case of ASCII letters only.
    private static func folded(_ text: String) -> [UInt8] { text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }

    /// Stores the rows whose identifiers are new, with consecutive numbers.
    /// - Returns: the number of new entries.
    static func insert(
        _ rows: [Self], first: Int64, received: TimeInterval, _ connection: PostgreSQLConnection
    ) async throws -> Int {
        let ids = rows.map { PostgreSQLKey($0.entry.id) }
        let stored = try await connection.execute("SELECT id FROM debug_log WHERE id = ANY($1::uuid[])", [.uuids(ids)]).rows
        var known = Set(try stored.map { PostgreSQLKey(try $0.bytes(0)) })
        let new = rows.filter { known.insert(PostgreSQLKey($0.entry.id)).inserted }
        guard !new.isEmpty else { return 0 }
        func column(_ text: (Self) -> [UInt8]) -> PostgreSQLValue { .byteStrings(new.map(text)) }
        let numbers = Array(first..<(first + Int64(new.count)))
        try await connection.execute(
            """
            WITH written AS (
                INSERT INTO debug_log SELECT number, id, correlation, timestamp, convert_from(source, 'UTF8'),
                    convert_from(level, 'UTF8'), event, payload, device, session, $11::float8, text
                FROM unnest(
                    $1::bigint[], $2::uuid[], $3::uuid[], $4::float8[], $5::bytea[], $6::bytea[], $7::bytea[], $8::bytea[],
                    $9::uuid[], $10::uuid[], $12::bytea[]
                ) AS input (number, id, correlation, timestamp, source, level, event, payload, device, session, text)
                RETURNING \(size) AS size
            ), counted AS (
                INSERT INTO debug_log_count SELECT COUNT(*), SUM(size) FROM written
            )
            UPDATE relay_state SET next_debug_log = $13::bigint WHERE id = 1
            """,
            [
                .int64s(numbers), .uuids(new.map { PostgreSQLKey($0.entry.id) }),
                .uuids(new.map { PostgreSQLKey($0.entry.correlationId) }),
                .doubles(new.map(\.entry.timestamp.timeIntervalSinceReferenceDate)),
                column { Array($0.entry.source.rawValue.utf8) }, column { Array($0.entry.level.rawValue.utf8) },
                column { Array($0.entry.event.utf8) }, column(\.payload),
                .uuids(new.map { $0.entry.deviceId.map { PostgreSQLKey($0) } }),
                .uuids(new.map { PostgreSQLKey($0.entry.sessionId) }), .double(received), column(\.text),
                .int64(first + Int64(new.count)),
            ])
        return new.count
    }

    /// A statement that deletes entries, and returns their number.
    static func deletion(where condition: String) -> String {
        """
        WITH gone AS (DELETE FROM debug_log WHERE \(condition) RETURNING \(size) AS size), counted AS (
            INSERT INTO debug_log_count SELECT -COUNT(*), -SUM(size) FROM gone HAVING COUNT(*) > 0
        )
        SELECT COUNT(*) FROM gone
        """
    }

    /// A statement for the entries that match a query, one more than its limit. The entries beyond the size limit of a page are
    /// returned without their contents.
    static func selection(_ query: DebugLogQuery) -> (sql: String, values: [PostgreSQLValue]) {
        var values: [PostgreSQLValue] = []
        var parts = ["true"]
        func add(_ condition: (String) -> String, _ value: PostgreSQLValue?) {
            guard let value else { return }
            values.append(value)
            parts.append(condition("$\(values.count)"))
        }
        add({ "number \(query.isDescending ? "<" : ">") \($0)::bigint" }, query.cursor.map { .int64($0) })
        add({ "source = \($0)::text" }, query.source.map { .text($0.rawValue) })
        add({ "level = \($0)::text" }, query.level.map { .text($0.rawValue) })
        add({ "event = \($0)::bytea" }, query.event.map { .bytes(Array($0.utf8)) })
        add({ "correlation_id = \($0)::uuid" }, query.correlationId.map { .uuid(PostgreSQLKey($0)) })
        add({ "session_id = \($0)::uuid" }, query.sessionId.map { .uuid(PostgreSQLKey($0)) })
        add({ "device_id = \($0)::uuid" }, query.deviceId.map { .uuid(PostgreSQLKey($0)) })
        add({ "timestamp >= \($0)::float8" }, query.since.map { .double($0.timeIntervalSinceReferenceDate) })
        add({ "timestamp < \($0)::float8" }, query.until.map { .double($0.timeIntervalSinceReferenceDate) })
        add({ "position(\($0)::bytea IN text) > 0" }, query.text.map { .bytes(folded($0)) })
        values.append(.int64(Int64(min(query.limit, 1_000_000)) + 1))
        let order = query.isDescending ? "DESC" : "ASC"
        let sizes = "octet_length(event) + octet_length(payload)"
        return (
            """
            SELECT number, \(sizes), CASE WHEN position = 1 OR total <= \(DebugLogPage.byteLimit) THEN payload END, id,
                correlation_id, timestamp, source, level, event, device_id, session_id
            FROM (
                SELECT *, row_number() OVER arrivals AS position, SUM(\(sizes)) OVER arrivals AS total FROM (
                    SELECT * FROM debug_log WHERE \(parts.joined(separator: " AND "))
                    ORDER BY number \(order) LIMIT $\(values.count)::bigint
                ) AS matching WINDOW arrivals AS (ORDER BY number \(order) ROWS UNBOUNDED PRECEDING)
            ) AS page ORDER BY number \(order)
            """, values
        )
    }

    /// - Throws: if a column does not contain what this relay stores.
    static func entry(_ row: PostgreSQLRow) throws -> DebugLog {
        let timestamp = Date(timeIntervalSinceReferenceDate: try row.double(5))
        guard let source = DebugLog.Source(rawValue: try row.text(6)), let level = DebugLog.Level(rawValue: try row.text(7)),
            TimestampText.string(from: timestamp) != nil
        else { throw RelayStorageError.corrupt("an entry cannot be read") }
        return DebugLog(
            id: UUID(try row.bytes(3)), correlationId: UUID(try row.bytes(4)), timestamp: timestamp, source: source,
            level: level, event: try row.text(8),
            payload: try JSONDecoder().decode([String: JSONValue].self, from: Data(try row.bytes(2))),
            deviceId: row.optionalBytes(9).map { UUID($0) }, sessionId: UUID(try row.bytes(10)))
    }
}

extension PostgreSQLKey {
    fileprivate init(_ id: UUID) { self.init(withUnsafeBytes(of: id.uuid) { Array($0) }) }
}

extension UUID {
    /// - Parameter bytes: 16 bytes.
    fileprivate init(_ bytes: [UInt8]) {
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: bytes.prefix(16)) }
        self.init(uuid: value)
    }
}
#endif
