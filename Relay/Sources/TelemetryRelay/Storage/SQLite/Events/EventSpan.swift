import GRDB

/// Between which times the events of each block of numbers are, so that a filter by time passes over the others.
///
/// A deletion leaves a span wider than it has to be; what is older than every event that is left is removed with the rest that
/// nothing refers to.
struct EventSpan {
    /// So many numbers are a block.
    static let size: Int64 = 1_024

    /// The first and the last number of a row's block, in SQL.
    static let numbers = (first: "block * \(size)", last: "block * \(size) + \(size - 1)")

    static func block(of number: Int64) -> Int64 { number / size }

    /// The spans of a transaction's events.
    struct Additions {
        private var spans: [Int64: ClosedRange<Int64>] = [:]

        mutating func add(_ number: Int64, seconds: Int64) {
            let block = EventSpan.block(of: number)
            let span = spans[block] ?? seconds...seconds
            spans[block] = min(span.lowerBound, seconds)...max(span.upperBound, seconds)
        }

        func save(_ db: Database) throws {
            let save = try db.cachedStatement(
                sql: """
                    INSERT INTO event_span VALUES (?, ?, ?)
                    ON CONFLICT (block) DO UPDATE SET first = MIN(first, excluded.first), last = MAX(last, excluded.last)
                    """)
            for (block, span) in spans { try save.execute(arguments: [block, span.lowerBound, span.upperBound]) }
        }
    }

    /// Removes the spans before the first event.
    static func deleteUnused(_ db: Database) throws {
        let first = try Int64.fetchOne(db, sql: "SELECT MIN(number) FROM event") ?? RelayState.fetch(db).nextEvent
        try db.cachedStatement(sql: "DELETE FROM event_span WHERE block < ?").execute(arguments: [block(of: first)])
    }
}
