import GRDB

/// The range of times of the events in each block of numbers, so that a time filter skips other blocks.
///
/// Deleting events does not narrow a range. Ranges before the first remaining event are removed with other unused rows.
struct EventSpan {
    /// The number of event numbers in a block.
    static let size: Int64 = 1_024

    /// The first and the last number of a row's block, in SQL.
    static let numbers = (first: "block * \(size)", last: "block * \(size) + \(size - 1)")

    static func block(of number: Int64) -> Int64 { number / size }

    /// Collects the ranges of a transaction's events.
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

    /// Removes the ranges before the first event.
    static func deleteUnused(_ db: Database) throws {
        let first = try Int64.fetchOne(db, sql: "SELECT MIN(number) FROM event") ?? RelayState.fetch(db).nextEvent
        try db.cachedStatement(sql: "DELETE FROM event_span WHERE block < ?").execute(arguments: [block(of: first)])
    }
}
