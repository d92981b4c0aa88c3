import Foundation

/// Reads the blocks with events in a range of numbers, by their first numbers, or in descending order by their last ones; a few at a
/// time.
struct BlockCursor {
    /// The last number of a block is less than this after the first one. Blocks that begin before a range and reach into it are thus near
    /// its beginning.
    static let span: Int64 = 65_536

    /// Which blocks to read.
    enum Scope {
        case all
        case client(Int64)
        /// A client's session. Its blocks do not overlap.
        case stream(Int64)
        /// The sessions of this key, of any client.
        case sessions(Data)
    }

    /// The numbers of blocks that are read at once: few at first, because often no more are needed.
    private static let steps = 4...64

    private let scope: Scope
    private let selection: EventSelection
    private let numbers: ClosedRange<Int64>
    private let order: RelayEventOrder
    private let columns: String
    /// The blocks that were read, the next one last.
    private var blocks: [EventBlock] = []
    /// Where to continue; nil at the end.
    private var position: Int64?
    private var step = steps.lowerBound

    /// - Parameters:
    ///   - selection: blocks that cannot have matching events by their time, names or scenarios are left out.
    ///   - columns: those to read.
    init(
        _ db: any StorageConnection, _ scope: Scope, _ selection: EventSelection, in numbers: ClosedRange<Int64>,
        _ order: RelayEventOrder, columns: String
    ) throws {
        self.columns = columns
        (self.scope, self.selection, self.numbers, self.order) = (scope, selection, numbers, order)
        position = order == .ascending ? numbers.lowerBound : numbers.upperBound
        blocks = try overlapping(db).reversed()
        if blocks.isEmpty { try readMore(db) }
    }

    /// The next block, which is not removed.
    var next: EventBlock? { blocks.last }

    mutating func advance(_ db: any StorageConnection) throws {
        blocks.removeLast()
        if blocks.isEmpty { try readMore(db) }
    }

    private mutating func readMore(_ db: any StorageConnection) throws {
        guard let position else { return }
        let found: [EventBlock]
        switch (order, scope) {
        case (.ascending, _):
            found = try read(db, [("first", ">=", position), ("first", "<=", numbers.upperBound)], "first", step)
            self.position = found.last.map { $0.numbers.lowerBound + 1 }
        case (.descending, .stream):
            // The same order, for which there is an index.
            found = try read(
                db,
                [("first", "<=", position), ("first", ">", numbers.lowerBound - Self.span), ("last", ">=", numbers.lowerBound)],
                "first DESC", step)
            self.position = found.last.map { $0.numbers.lowerBound - 1 }
        case (.descending, _):
            found = try read(db, [("last", "<=", position), ("last", ">=", numbers.lowerBound)], "last DESC", step)
            self.position = found.last.map { $0.numbers.upperBound - 1 }
        }
        if found.count < step { self.position = nil }
        step = min(2 * step, Self.steps.upperBound)
        blocks = found.reversed()
    }

    /// The blocks that also have numbers before the range, or after it in descending order. A plus sign keeps SQLite from using an
    /// index of that column, where many rows are within its bound.
    private func overlapping(_ db: any StorageConnection) throws -> [EventBlock] {
        let (lower, upper) = (numbers.lowerBound, numbers.upperBound)
        switch (order, scope) {
        case (.ascending, .stream):
            return try read(db, [("first", "<", lower), ("first", ">", lower - Self.span), ("last", ">=", lower)], "first")
        case (.descending, .stream): return []
        case (.ascending, _):
            return try read(db, [("last", ">=", lower), ("last", "<", lower + Self.span), ("+first", "<", lower)], "first")
        case (.descending, _):
            return try read(db, [("last", ">", upper), ("last", "<=", upper + Self.span), ("+first", "<=", upper)], "last DESC")
        }
    }

    private func read(
        _ db: any StorageConnection, _ bounds: [(column: String, comparison: String, number: Int64)], _ order: String,
        _ limit: Int? = nil
    ) throws -> [EventBlock] {
        var statement = Statement("SELECT \(columns) FROM event_block WHERE ")
        switch scope {
        case .all: break
        case .client(let client): statement.sql += "client = \(statement.parameter(.int(client))) AND "
        case .stream(let stream): statement.sql += "stream = \(statement.parameter(.int(stream))) AND "
        case .sessions(let key):
            statement.sql += "EXISTS (SELECT 1 FROM event_stream s WHERE s.id = stream AND s.session_key = "
            statement.sql += "\(statement.parameter(.bytes(key)))) AND "
        }
        statement.sql += bounds.map { "\($0.column) \($0.comparison) \(statement.parameter(.int($0.number)))" }.joined(
            separator: " AND ")
        if let seconds = selection.seconds {
            statement.sql += " AND last_second >= \(statement.parameter(.int(seconds.lowerBound)))"
            statement.sql += " AND first_second <= \(statement.parameter(.int(seconds.upperBound)))"
        }
        for keys in selection.keys where keys.count <= Self.searchedKeys {
            let conditions = keys.map { "instr(summary, \(statement.parameter(.bytes($0)))) > 0" }
            statement.sql += " AND (\(conditions.joined(separator: " OR ")))"
        }
        statement.sql += " ORDER BY \(order)"
        if let limit { statement.sql += " LIMIT \(statement.parameter(.init(limit)))" }
        return try db.rows(statement).map(EventBlock.init)
    }

    /// The maximum number of keys that are searched for in the summaries, before they are read.
    private static let searchedKeys = 8
}
