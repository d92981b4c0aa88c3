import Foundation

/// Keeps entries as long as the process runs.
public actor InMemoryDebugLogStorage: DebugLogStorage {
    private var rows: [(number: Int64, entry: DebugLog, text: String)] = []
    private var ids: Set<UUID> = []
    private var newest: Int64 = 0
    private let capacity: Int

    /// - Parameter capacity: so many entries are kept, the newest.
    public init(capacity: Int = 1_000_000) {
        self.capacity = capacity
    }

    public func store(_ entries: [DebugLog]) throws -> Int {
        let new = try entries.map { (entry: $0, text: Self.folded("\($0.event)\n\(try $0.payloadText)")) }
        var count = 0
        for (entry, text) in new where ids.insert(entry.id).inserted {
            newest += 1
            count += 1
            rows.append((newest, entry, text))
        }
        let excess = rows.count - capacity
        if excess > 0 {
            for row in rows[..<excess] { ids.remove(row.entry.id) }
            rows.removeFirst(excess)
        }
        return count
    }

    public func page(of query: DebugLogQuery) -> DebugLogPage {
        let text = query.text.map(Self.folded)
        let matching = (query.isDescending ? Array(rows.reversed()) : rows).lazy.filter { row in
            let entry = row.entry
            guard query.cursor.map({ query.isDescending ? row.number < $0 : row.number > $0 }) ?? true,
                query.source.map({ entry.source == $0 }) ?? true,
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
        return DebugLogPage(
            found: matching.prefix(query.limit + 1).map { ($0.number, $0.entry) }, query: query, newest: newest)
    }

    public func count() -> Int { rows.count }

    /// ASCII letters in one case, and nothing else, as SQLite's LIKE compares.
    private static func folded(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }
}
