import Foundation

/// A row of `event_block`, without its entries and its text.
struct EventBlock: Sendable {
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
    private let encodedSummary: Data

    /// The columns that ``init(_:)`` expects.
    static let columns = columns(summary: "summary")

    /// The same with another value for the summary.
    static func columns(summary: String) -> String {
        "id, client, stream, first, last, count, first_received, last_received, first_second, last_second, size, length, packed, \(summary)"
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
        encodedSummary = try row.bytes(13)
        let span = numbers.upperBound - numbers.lowerBound
        guard numbers.lowerBound > 0, span < BlockCursor.span, (1...(span + 1)).contains(Int64(count)),
            (0...Int(Int32.max)).contains(length)
        else { throw BlockScanner.malformed }
    }

    /// The block; nil if it does not exist any more.
    static func find(_ id: Int64, _ db: StorageConnection) throws -> EventBlock? {
        try db.rows("SELECT \(columns) FROM event_block WHERE id = $1", [.int(id)]).first.map(EventBlock.init)
    }

    /// Deletes the row.
    func delete(_ db: StorageConnection, _ state: inout RelayState) throws {
        try db.execute("DELETE FROM event_block WHERE id = $1", [.int(id)])
        state.eventBytes -= size
    }

    func summary() throws -> BlockSummary { try BlockSummary(encodedSummary) }

    private static func range(_ row: StorageRow, _ column: Int) throws -> ClosedRange<Int64> {
        let (lower, upper) = (try row.int(column), try row.int(column + 1))
        guard lower <= upper, upper < .max, lower > .min else { throw BlockScanner.malformed }
        return lower...upper
    }

    /// - Parameter summary: the block's.
    func entries(_ db: StorageConnection, of summary: BlockSummary) throws -> [BlockEntry] {
        guard let row = try db.rows("SELECT entries FROM event_block WHERE id = $1", [.int(id)]).first else {
            throw BlockScanner.malformed
        }
        return try BlockEntries.decode(try row.bytes(0), of: self, cells: summary.cellCount)
    }

    /// The texts of all events, one after the other.
    func text(_ db: StorageConnection) throws -> [UInt8] {
        guard let row = try db.rows("SELECT body FROM event_block WHERE id = $1", [.int(id)]).first else {
            throw BlockScanner.malformed
        }
        let text = isPacked ? try BlockText.unpack(try row.bytes(0), length: length) : Array(try row.bytes(0))
        guard text.count == length else { throw BlockScanner.malformed }
        return text
    }
}
