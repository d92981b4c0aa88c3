import Foundation
@_spi(Tooling) import TelemetryModels

/// A row of `event_block`, without its text.
struct EventBlock: Sendable {
    /// The maximum bytes of a block of several events, before compression.
    static let maximumLength = 64 << 10
    /// The maximum number of events in a block.
    static let maximumCount = 4_096

    /// Never used again.
    let id: Int64
    let stream: EventStreams.Stream
    /// The numbers of its events. Other events of this range may be in other blocks.
    let numbers: ClosedRange<Int64>
    let count: Int
    /// When its events arrived, in milliseconds of the arrival clock.
    let received: ClosedRange<Int64>
    /// The times of its events, in seconds since 1970.
    let seconds: ClosedRange<Int64>
    /// The approximate bytes of the row.
    let size: Int64
    /// The bytes of the text before compression.
    let length: Int
    let isPacked: Bool
    /// The words of its events, or of more; nil if they are not known.
    let words: WordFilter?
    private var encodedSummary: Data
    /// Nil if they were not read with the rest.
    private var encodedEntries: Data?

    /// A column that need not be read.
    enum Part: String, CaseIterable { case summary, words, entries }

    /// The columns that ``init(_:)`` expects, with null for other parts than these.
    static func columns(with parts: Set<Part>) -> String {
        let fixed = """
            id, client, stream, first, last, count, first_received, last_received, first_second, last_second, size, length, packed
            """
        return ([fixed] + Part.allCases.map { parts.contains($0) ? $0.rawValue : "NULL" }).joined(separator: ", ")
    }

    init(_ row: StorageRow) throws {
        id = try row.int(0)
        stream = .init(number: try row.int(2), client: try row.int(1))
        numbers = try Self.range(row, 3)
        count = Int(try row.int(5))
        received = try Self.range(row, 6)
        seconds = try Self.range(row, 8)
        size = try row.int(10)
        length = Int(try row.int(11))
        isPacked = try row.int(12) != 0
        encodedSummary = try row.optionalBytes(13) ?? Data()
        words = try row.optionalBytes(14).flatMap(WordFilter.init)
        encodedEntries = try row.optionalBytes(15)
        // The difference of positive numbers does not overflow.
        guard numbers.lowerBound > 0, numbers.upperBound - numbers.lowerBound < BlockCursor.span,
            (1...numbers.count).contains(count), (0...Int(Int32.max)).contains(length), (0...Int64(UInt32.max)).contains(size)
        else { throw BlockScanner.malformed }
    }

    /// The block; nil if it does not exist any more.
    static func find(_ id: Int64, _ db: any StorageConnection) throws -> EventBlock? {
        let columns = columns(with: [.summary, .entries])
        return try db.rows("SELECT \(columns) FROM event_block WHERE id = $1", [.int(id)]).first.map(EventBlock.init)
    }

    /// Deletes the row.
    func delete(_ db: any StorageConnection, _ state: inout EventState) throws {
        try db.enqueue("DELETE FROM event_block WHERE id = $1", [.int(id)])
        state.eventBytes -= size
    }

    func summary() throws -> BlockSummary { try BlockSummary(encodedSummary) }

    /// Whether no event has the words of a query, if they were read with the rest. This takes less time than to read the summary.
    /// - Parameter matches: whether the query matches all events of a cell, or none.
    func isExcludedByWords(_ matches: (QueryCell) -> Bool?) -> Bool {
        guard let words else { return false }
        return TelemetryLogLevel.allCases.allSatisfy { level in
            matches(QueryCell(count: count, level: level, times: .distantPast ... .distantFuture, words: words)) == false
        }
    }

    /// The block without its summary and entries, of which many can be kept.
    var outline: EventBlock {
        var outline = self
        (outline.encodedSummary, outline.encodedEntries) = (Data(), nil)
        return outline
    }

    private static func range(_ row: StorageRow, _ column: Int) throws -> ClosedRange<Int64> {
        let (lower, upper) = (try row.int(column), try row.int(column + 1))
        guard lower <= upper, upper < .max, lower > .min else { throw BlockScanner.malformed }
        return lower...upper
    }

    /// - Parameter summary: the block's.
    func entries(_ db: any StorageConnection, of summary: BlockSummary) throws -> [BlockEntry] {
        if let entries = try entries(of: summary) { return entries }
        let rows = try db.rows("SELECT entries FROM event_block WHERE id = $1", [.int(id)])
        guard let encoded = try rows.first?.bytes(0) else { throw BlockScanner.malformed }
        return try BlockEntries.decode(encoded, of: self, cells: summary.cellCount)
    }

    /// The entries; nil if they were not read with the rest.
    /// - Parameter summary: the block's.
    func entries(of summary: BlockSummary) throws -> [BlockEntry]? {
        try encodedEntries.map { try BlockEntries.decode($0, of: self, cells: summary.cellCount) }
    }
}

extension EventBlock: Equatable {
    /// Whether both are of the same row, whichever parts of it were read.
    static func == (left: Self, right: Self) -> Bool {
        (left.id, left.stream, left.numbers, left.received, left.size, left.length)
            == (right.id, right.stream, right.numbers, right.received, right.size, right.length)
    }
}
