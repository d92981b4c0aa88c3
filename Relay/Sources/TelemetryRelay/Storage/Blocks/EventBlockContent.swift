import Foundation
@_spi(Tooling) import TelemetryModels

/// The events of a block to be stored.
struct EventBlockContent {
    /// The maximum bytes for the words of an event.
    static let wordBytes = 8

    private(set) var entries: [BlockEntry] = []
    private var summary = BlockSummary.Builder()
    /// Headers, each before the lines to which it applies.
    private var text: [UInt8] = []
    /// The last header in the text.
    private var header: [UInt8]?
    /// When the events arrived, in milliseconds of the arrival clock.
    private var received: ClosedRange<Int64>

    init(received: ClosedRange<Int64>) { self.received = received }

    /// Adds an event after those with lower numbers.
    /// - Parameter entry: its cell and header are ignored.
    mutating func add(_ entry: BlockEntry, _ kind: BlockSummary.Kind, header: [UInt8], _ line: ArraySlice<UInt8>) {
        append(entry, cell: summary.add(kind), header: header, line)
    }

    private mutating func append(_ entry: BlockEntry, cell: Int, header: [UInt8], _ line: ArraySlice<UInt8>) {
        var entry = entry
        entry.cell = cell
        entry.header = nil
        if header != self.header {
            self.header = header
            entry.header = header.count
            text += header
        }
        entries.append(entry)
        text += line
    }

    /// Adds the events of a block that are to be kept, after those with lower numbers.
    mutating func add(_ block: EventBlock, _ db: any StorageConnection, where isKept: (BlockEntry) -> Bool = { _ in true }) throws
    {
        received = min(received.lowerBound, block.received.lowerBound)...max(received.upperBound, block.received.upperBound)
        let (text, kinds) = (try block.text(db), try block.summary())
        var cells = [Int?](repeating: nil, count: kinds.cellCount)
        var header: [UInt8] = []
        var offset = 0
        for entry in try block.entries(db, of: kinds) {
            let start = offset + (entry.header ?? 0)
            let end = start + entry.length
            guard end <= text.count else { throw BlockScanner.malformed }
            if entry.header != nil { header = Array(text[offset..<start]) }
            offset = end
            guard isKept(entry) else { continue }
            if let cell = cells[entry.cell] {
                summary.add(toCell: cell)
                append(entry, cell: cell, header: header, text[start..<end])
            } else {
                add(entry, kinds.kind(ofCell: entry.cell), header: header, text[start..<end])
                cells[entry.cell] = entries.last?.cell
            }
        }
    }

    /// The form in which the block is stored; it must not be empty.
    /// - Parameter packs: whether to compress the text.
    func encoded(packs: Bool) throws -> EncodedBlock {
        guard let first = entries.first, let last = entries.last, last.number - first.number < BlockCursor.span else {
            throw BlockScanner.malformed
        }
        let seconds = entries.reduce(first.time.seconds...first.time.seconds) {
            min($0.lowerBound, $1.time.seconds)...max($0.upperBound, $1.time.seconds)
        }
        let known = packs ? known : nil
        return EncodedBlock(
            numbers: first.number...last.number, count: entries.count, received: received, seconds: seconds, length: text.count,
            isPacked: packs, summary: (known?.summary ?? summary.summary).encoded, words: known?.words,
            entries: BlockEntries.encode(known?.entries ?? entries),
            body: packs ? try BlockText.pack(text) : Data(text))
    }

    /// What is known of the events once they are read: their severities, and words that need few bytes. Nil if one cannot be read.
    private var known: (summary: BlockSummary, words: WordFilter?, entries: [BlockEntry])? {
        let kinds = summary.summary
        let all = [Bool](repeating: true, count: kinds.cellCount)
        let events = BlockReader.candidates(in: entries, where: all, EventSelection(.all), 1...Int64.max, index: 0)
        var (summary, words, known) = (BlockSummary.Builder(), WordFilter.Builder(), [BlockEntry]())
        do {
            try BlockReader.read(events, in: text, with: QueryLiterals(nil, nil)) { event, stored in
                words.add(stored)
                var (entry, kind) = (event.entry, kinds.kind(ofCell: event.entry.cell))
                kind.severity = stored.value(of: .severity)?.stringValue.flatMap(QuerySeverity.init(rawValue:))
                entry.cell = summary.add(kind)
                known.append(entry)
            }
        } catch {
            return nil
        }
        return (summary.summary, words.filter(maximumBytes: Self.wordBytes * entries.count), known)
    }
}

/// The columns of a block to be stored.
struct EncodedBlock: Sendable {
    fileprivate let numbers: ClosedRange<Int64>
    fileprivate let count: Int
    fileprivate let received: ClosedRange<Int64>
    fileprivate let seconds: ClosedRange<Int64>
    fileprivate let length: Int
    fileprivate let isPacked: Bool
    fileprivate let summary: Data
    fileprivate let words: WordFilter?
    fileprivate let entries: Data
    fileprivate let body: Data

    /// The approximate bytes of a row besides its summary, words, entries and text, with its part of the indexes.
    static let overhead = 400

    /// The approximate bytes of the row.
    private var size: Int { summary.count + (words?.bytes.count ?? 0) + entries.count + body.count + Self.overhead }

    /// Stores the block.
    /// - Returns: the approximate bytes of its row.
    func save(_ db: any StorageConnection, id: Int64, of stream: EventStreams.Stream) throws -> Int64 {
        try db.enqueue(
            """
            INSERT INTO event_block (\(EventBlock.columns(with: Set(EventBlock.Part.allCases))), body)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
            """,
            [
                .int(id), .int(stream.client), .int(stream.number), .int(numbers.lowerBound), .int(numbers.upperBound),
                .init(count),
                .int(received.lowerBound), .int(received.upperBound), .int(seconds.lowerBound), .int(seconds.upperBound),
                .init(size), .init(length), .int(isPacked ? 1 : 0), .bytes(summary), .init(words?.bytes), .bytes(entries),
                .bytes(body),
            ])
        return Int64(size)
    }
}
