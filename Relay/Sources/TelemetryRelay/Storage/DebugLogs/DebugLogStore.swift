import Foundation
import Logging
import Synchronization
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// Stores debug log entries in a table of a database, each in a row of its own, because a search by one of their identifiers has to find
/// a few of them.
final class DebugLogStore: DebugLogStorage {
    /// What happened since the store was opened.
    private struct Counts {
        var deleted = Dictionary(uniqueKeysWithValues: DebugLogRetention.Bound.allCases.map { ($0, 0) })
        /// The part of `deleted` that is logged.
        var logged: [DebugLogRetention.Bound: Int] = [:]
        var unreadable = 0
    }

    private let database: any StorageDatabase
    private let retention: DebugLogRetention
    private let arrival: ArrivalTime
    private let logger: Logger
    let announcer: ChangeAnnouncer
    private let counts = Mutex(Counts())

    /// - Parameter next: the number of the next entry.
    init(_ database: any StorageDatabase, _ configuration: RelayStorageConfiguration, arrival: ArrivalTime, next: Int64) {
        self.database = database
        retention = configuration.debugLogs
        self.arrival = arrival
        logger = configuration.logger
        announcer = ChangeAnnouncer(next: next)
    }

    func store(_ entries: [DebugLog]) async throws -> Int {
        let rows = try entries.map { ($0, try $0.payloadText) }
        let numbers = try await change { db, state in
            let first = state.next
            try Self.insert(rows, db, &state)
            return first..<state.next
        }
        announcer.announce(numbers, of: nil)
        return numbers.count
    }

    func page(of query: DebugLogQuery) async throws -> DebugLogPage {
        let (page, unreadable) = try await database.query { db in
            let newest = try DebugLogState.fetch(db).next - 1
            let matches = try db.rows(Self.selection(query)).map { (number: try $0.int(0), size: (try? $0.int(1)) ?? 0) }
            let count = DebugLogPage.count(ofSizes: matches.map { Int($0.size) }, limit: query.limit)
            let rows = try db.rows(matches.prefix(count).map { Statement(Self.row, [.int($0.number)]) })
            let entries = rows.compactMap { row in try? row.first.map(Self.entry) }
            let page = DebugLogPage(
                entries, of: query, last: matches.prefix(count).last?.number, hasMore: count < matches.count, newest: newest)
            return (page, count - entries.count)
        }
        if unreadable > 0 { counts.withLock { $0.unreadable += unreadable } }
        return page
    }

    func hints() -> AsyncStream<Void> { announcer.hints(of: nil) }

    /// Deletes entries beyond the retention limits, and logs their number.
    func expire() async throws {
        try await change { _, _ in }
        let deleted = counts.withLock { counts in
            defer { counts.logged = counts.deleted }
            return counts.deleted.merging(counts.logged, uniquingKeysWith: -)
        }
        for (bound, count) in deleted where count > 0 {
            logger.info("debug log entries deleted", metadata: ["bound": "\(bound.rawValue)", "count": "\(count)"])
        }
    }

    func usage(_ db: any StorageConnection) throws -> DebugLogUsage {
        let (state, counts) = (try DebugLogState.fetch(db), counts.withLock(\.self))
        return DebugLogUsage(
            entries: Int(state.entries), bytes: Int(state.bytes), deleted: counts.deleted, unreadable: counts.unreadable)
    }

    /// Changes the entries in one transaction, with the counters and the arrival clock, and deletes those beyond the retention limits.
    private func change<Value: Sendable>(
        _ body: @escaping @Sendable (any StorageConnection, inout DebugLogState) throws -> Value
    ) async throws -> Value {
        let (value, deleted) = try await database.write(.debugLogs) { [arrival, retention] db in
            var state = try DebugLogState.fetch(db)
            state.clocks = arrival.next(after: state.clocks)
            let value = try body(db, &state)
            let deleted = try retention.trim(db, &state)
            try state.save(db)
            return (value, deleted)
        }
        counts.withLock { $0.deleted.merge(deleted, uniquingKeysWith: +) }
        return value
    }
}

extension DebugLogStore {
    /// Stores the entries whose identifiers are new.
    private static func insert(
        _ entries: [(DebugLog, payload: String)], _ db: any StorageConnection, _ state: inout DebugLogState
    ) throws {
        let known = try db.rows(
            entries.map { Statement("SELECT number FROM debug_log WHERE id = $1", [bytes($0.0.id)]) })
        var new = Set(zip(entries, known).filter { $1.isEmpty }.map { $0.0.0.id })
        for (entry, payload) in entries where new.remove(entry.id) != nil {
            let size = DebugLogRetention.overhead + entry.event.utf8.count + payload.utf8.count
            try db.enqueue(
                "INSERT INTO debug_log VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
                [
                    .int(state.next), bytes(entry.id), bytes(entry.correlationId), bytes(entry.sessionId),
                    entry.deviceId.map(bytes) ?? .null, .init(entry.timestamp), .text(entry.source.rawValue),
                    .text(entry.level.rawValue), .text(entry.event), .text(payload), .double(state.clocks.arrival), .init(size),
                ])
            state.next += 1
            state.entries += 1
            state.bytes += Int64(size)
        }
    }

    /// The numbers and sizes of the entries that match a query, up to one more than its limit.
    private static func selection(_ query: DebugLogQuery) -> Statement {
        var statement = Statement("SELECT number, size FROM debug_log WHERE 0 = 0")
        func add(_ value: StorageValue?, _ condition: (_ parameter: String) -> String) {
            if let value { statement.sql += " AND \(condition(statement.parameter(value)))" }
        }
        add(query.cursor.map { .int($0) }) { "number \(query.isDescending ? "<" : ">") \($0)" }
        add(query.source.map { .text($0.rawValue) }) { "source = \($0)" }
        add(query.level.map { .text($0.rawValue) }) { "level = \($0)" }
        add(query.event.map { .text($0) }) { "event = \($0)" }
        add(query.correlationId.map(bytes)) { "correlation_id = \($0)" }
        add(query.sessionId.map(bytes)) { "session_id = \($0)" }
        add(query.deviceId.map(bytes)) { "device_id = \($0)" }
        add(query.since.map { .init($0) }) { "timestamp >= \($0)" }
        add(query.until.map { .init($0) }) { "timestamp < \($0)" }
        // Both databases fold the case of ASCII letters only.
        add(query.text.map { .text($0) }) {
            "(instr(lower(event), lower(\($0))) > 0 OR instr(lower(payload), lower(\($0))) > 0)"
        }
        return statement + " ORDER BY number \(query.isDescending ? "DESC" : "ASC") LIMIT \(min(query.limit, 1_000_000) + 1)"
    }

    /// The columns that ``entry(_:)`` expects.
    static let columns = "id, correlation_id, session_id, device_id, timestamp, source, level, event, payload"
    private static let row = "SELECT \(columns) FROM debug_log WHERE number = $1"

    /// - Throws: if a column does not contain what this relay stores.
    static func entry(_ row: StorageRow) throws -> DebugLog {
        guard let source = DebugLog.Source(rawValue: try row.text(5)), let level = DebugLog.Level(rawValue: try row.text(6)),
            let timestamp = try row.date(4), TimestampText.string(from: timestamp) != nil
        else { throw RelayStorageError.corrupt("an entry cannot be read") }
        return DebugLog(
            id: try UUID(row.bytes(0)), correlationId: try UUID(row.bytes(1)), timestamp: timestamp, source: source,
            level: level, event: try row.text(7),
            payload: try payload(row.text(8)),
            deviceId: try row.optionalBytes(3).map { try UUID($0) }, sessionId: try UUID(row.bytes(2)))
    }

    private static func payload(_ text: String) throws -> [String: JSONValue] {
        let depth = DebugLogBatch.depth + 1
        let value = try JSONReader.read(text.utf8, maximumDepth: depth) { try JSONValue(reading: &$0, depth: depth) }
        guard case .object(let payload) = value else { throw RelayStorageError.corrupt("a payload is not an object") }
        return payload
    }

    private static func bytes(_ id: UUID) -> StorageValue { .bytes(withUnsafeBytes(of: id.uuid) { Data($0) }) }
}

extension DebugLogRetention {
    /// The approximate number of bytes of an entry in the table and its indexes, in addition to its strings.
    static let overhead = 250

    /// The number of entries that are examined at once.
    private static let step = 1000

    /// Deletes the oldest entries beyond the limits.
    func trim(_ db: any StorageConnection, _ state: inout DebugLogState) throws -> [Bound: Int] {
        var deleted: [Bound: Int] = [:]
        func delete(before number: Int64, beyond bound: Bound) throws {
            let sums = try db.rows(
                "SELECT COUNT(*), CAST(SUM(size) AS BIGINT) FROM debug_log WHERE number < $1", [.int(number)]
            ).first
            guard let count = try sums?.int(0), let bytes = try sums?.optionalInt(1) else { return }
            try db.enqueue("DELETE FROM debug_log WHERE number < $1", [.int(number)])
            state.entries -= count
            state.bytes -= min(max(0, bytes), state.bytes)
            deleted[bound, default: 0] += Int(count)
        }
        // In order of arrival, so that this reads only the entries to delete and one more. An arrival later than now plus the retention
        // age is not a time that a relay wrote, and does not keep older entries.
        let young = try db.int(
            "SELECT number FROM debug_log WHERE received BETWEEN $1 AND $2 ORDER BY number LIMIT 1",
            [.double(state.clocks.arrival - age), .double(state.clocks.arrival + age)])
        try delete(before: young ?? state.next, beyond: .age)
        if state.entries > entries {
            let kept = try db.int(
                "SELECT number FROM debug_log ORDER BY number LIMIT 1 OFFSET $1", [.int(state.entries - Int64(entries))])
            try delete(before: kept ?? state.next, beyond: .entries)
        }
        while state.bytes > bytes {
            let oldest = try db.rows("SELECT number, size FROM debug_log ORDER BY number LIMIT \(Self.step + 1)")
            var (excess, count) = (state.bytes - Int64(bytes), 0)
            while excess > 0, count < oldest.count - 1 {
                excess -= max(0, try oldest[count].int(1))
                count += 1
            }
            guard count > 0 else { break }
            try delete(before: oldest[count].int(0), beyond: .bytes)
        }
        return deleted
    }
}

extension UUID {
    /// - Throws: if there are not 16 bytes.
    fileprivate init(_ bytes: Data) throws {
        guard bytes.count == 16 else { throw RelayStorageError.corrupt("an identifier cannot be read") }
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &value) { _ = bytes.copyBytes(to: $0) }
        self.init(uuid: value)
    }
}
