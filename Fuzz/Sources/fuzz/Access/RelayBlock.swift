import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetrySystem

@testable import RelayReaders

/// A row of the relay's table of blocks, with the text of the events.
struct RelayBlock {
    /// An event that was found in the block.
    struct Event {
        let number: Int64
        let header: Range<Int>
        let line: Range<Int>
    }

    /// A database without rows: the columns are here.
    private struct NoRows: StorageConnection {
        func forEachRow(_ sql: String, _ values: [StorageValue], _ body: (StorageRow) throws -> Void) {}
        func execute(_ sql: String, _ values: [StorageValue]) -> Int { 0 }
        func rows(_ statements: [Statement]) -> [[StorageRow]] { statements.map { _ in [] } }
        func enqueue(_ sql: String, _ values: [StorageValue]) {}
    }

    /// Matches all events, and some of ``valid``.
    private static let selections = [
        RelayEventFilter.all, RelayEventFilter(names: ["b"], since: RelayTime("2026-11-21T08:00:00Z")),
        RelayEventFilter(scenarios: ["x"], levels: [.info]),
    ].map { EventSelection($0) }

    let numbers: ClosedRange<Int64>
    let count: Int
    let length: Int
    private let block: EventBlock
    private let summary: BlockSummary
    private let entries: [BlockEntry]

    /// Returns nil if the block is corrupt.
    init?(_ columns: [StorageValue]) {
        do {
            block = try EventBlock(StorageRow(values: columns))
            summary = try block.summary()
            entries = try block.entries(NoRows(), of: summary)
        } catch {
            require(error is RelayStorageError, "a corrupt block throws \(error)")
            return nil
        }
        (numbers, count, length) = (block.numbers, block.count, block.length)
    }

    /// The events that match each selection.
    var events: [[Event]] {
        Self.selections.map { selection in
            let reader = BlockReader(NoRows(), selection) { _ in [] }
            guard let events = try? reader.matches(block, in: 1...Int64.max, index: 0) else {
                violated("a valid block is corrupt")
            }
            return events.map { Event(number: $0.entry.number, header: $0.header, line: $0.line) }
        }
    }

    /// Whether the summary and the entries are the same after they are written and read.
    var isReadBack: Bool {
        let (again, cells) = (try? BlockSummary(summary.encoded), summary.cellCount)
        return again == summary && (try? BlockEntries.decode(BlockEntries.encode(entries), of: block, cells: cells)) == entries
    }

    /// An event of a page in JSON; nil if the line is corrupt.
    static func json(header: [UInt8], line: [UInt8]) -> [UInt8]? {
        var (events, writer) = (WireEventWriter(), JSONWriter())
        let event = RelayStoredEvent(cursor: .init(rawValue: ""), header: header, line: line)
        guard (try? events.write(event, to: &writer)) != nil else { return nil }
        return writer.bytes
    }

    static func isJSON(_ text: [UInt8]) -> Bool { (try? JSONReader.read(text) { try $0.skip() }) != nil }

    /// A valid row, with the text as its last column.
    static func columns(of body: [UInt8]) -> [StorageValue] {
        guard let batch = try? WireEventLines.read(body, limits: .init()) else { violated("the relay refuses valid lines") }
        var (summary, entries, text, header) = (BlockSummary.Builder(), [BlockEntry](), [UInt8](), -1)
        for (index, event) in batch.events.enumerated() {
            let own = event.header == header ? nil : batch.headers[event.header]
            header = event.header
            entries.append(
                BlockEntry(
                    number: Int64(index * index + 1), cell: summary.add(event.kind), time: event.time,
                    identity: Int64(7 - index % 2),
                    header: own?.count, length: event.line.count))
            text += (own ?? []) + batch.lines[event.line]
        }
        let seconds = entries.map(\.time.seconds)
        let numbers: [Int64] = [
            1, 2, 3, 1, entries.last?.number ?? 1, Int64(entries.count), 50, 60, seconds.min() ?? 0, seconds.max() ?? 0, 900,
            Int64(text.count), 0,
        ]
        return numbers.map(StorageValue.int)
            + [summary.summary.encoded, Data([1, 1, 0, 0, 0, 0x55]), BlockEntries.encode(entries), Data(text)].map(
                StorageValue.bytes)
    }
}
