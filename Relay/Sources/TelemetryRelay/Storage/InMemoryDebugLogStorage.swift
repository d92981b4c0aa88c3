import Foundation

/// Stores debug log entries in memory.
public actor InMemoryDebugLogStorage: DebugLogStorage {
    private struct Row {
        let number: Int64
        let entry: DebugLog
        /// The text that is searched.
        let text: String
        /// By the monotonic clock.
        let received: Duration

        /// The approximate size of the row. It holds the text twice.
        var size: Int { 500 + 2 * text.utf8.count }
    }

    /// The rows. The first `gone` elements are nil, for deleted rows.
    private var rows: [Row?] = []
    private var gone = 0
    private var bytes = 0
    private var ids: Set<UUID> = []
    private var newest: Int64 = 0
    private let retention: DebugLogRetention
    private let metrics: RelayMetrics
    private let uptime: @Sendable () -> Duration

    /// - Parameters:
    ///   - retention: the retention limits; sizes are approximate.
    ///   - metrics: counts deleted entries.
    ///   - uptime: a monotonic clock, which measures the age of entries; nil uses one that advances while the machine sleeps.
    public init(
        retention: DebugLogRetention = .init(), metrics: RelayMetrics = .init(), uptime: (@Sendable () -> Duration)? = nil
    ) {
        self.retention = retention
        self.metrics = metrics
        self.uptime = uptime ?? ArrivalClock.continuous()
    }

    public func store(_ entries: [DebugLog]) throws -> Int {
        let new = try entries.map { (entry: $0, text: Self.folded("\($0.event)\n\(try $0.payloadText)")) }
        let before = newest
        for (entry, text) in new where ids.insert(entry.id).inserted {
            newest += 1
            let row = Row(number: newest, entry: entry, text: text, received: uptime())
            rows.append(row)
            bytes += row.size
        }
        trim()
        return Int(newest - before)
    }

    public func expire() { trim() }

    public func usage() -> DebugLogUsage { DebugLogUsage(entries: rows.count - gone, bytes: bytes) }

    public func page(of query: DebugLogQuery) -> DebugLogPage {
        let text = query.text.map(Self.folded)
        var found = DebugLogPage.Found(for: query)
        // Numbers are consecutive, so a cursor maps to an index.
        let base = newest - Int64(rows.count) + 1
        let cursor = query.cursor.map { Int(min(max($0, base - 1), newest + 1) - base) }
        var index = query.isDescending ? (cursor ?? rows.count) - 1 : max(cursor.map { $0 + 1 } ?? 0, gone)
        while (gone..<rows.count).contains(index) {
            if let row = rows[index], Self.matches(row, query, text) {
                guard found.hasRoom(for: row.text.utf8.count) else { break }
                found.add(row.entry, number: row.number, size: row.text.utf8.count)
            }
            index += query.isDescending ? -1 : 1
        }
        return DebugLogPage(found, newest: newest)
    }

    private static func matches(_ row: Row, _ query: DebugLogQuery, _ text: String?) -> Bool {
        let entry = row.entry
        guard query.source.map({ entry.source == $0 }) ?? true,
            query.level.map({ entry.level == $0 }) ?? true,
            query.event.map({ entry.event == $0 }) ?? true,
            query.correlationId.map({ entry.correlationId == $0 }) ?? true
        else { return false }
        return query.sessionId.map { entry.sessionId == $0 } ?? true
            && query.deviceId.map { entry.deviceId == $0 } ?? true
            && query.since.map { entry.timestamp >= $0 } ?? true
            && query.until.map { entry.timestamp < $0 } ?? true
            && text.map { row.text.contains($0) } ?? true
    }

    private func trim() {
        let cutoff = uptime() - .seconds(retention.age)
        while gone < rows.count, let row = rows[gone] {
            let bound: DebugLogRetention.Bound
            if row.received < cutoff {
                bound = .age
            } else if rows.count - gone > retention.entries {
                bound = .entries
            } else if bytes > retention.bytes, rows.count - gone > 1 {
                bound = .bytes
            } else {
                break
            }
            ids.remove(row.entry.id)
            bytes -= row.size
            rows[gone] = nil
            gone += 1
            metrics.countDeleted(1, beyond: bound)
        }
        // Rarely, because this moves all remaining rows.
        if gone > rows.count / 2 {
            rows.removeFirst(gone)
            gone = 0
        }
    }

    /// Folds the case of ASCII letters only, like SQLite's LIKE.
    private static func folded(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }
}
