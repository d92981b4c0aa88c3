import TelemetryModels
import TelemetrySystem

/// Reads the journal forwards, in chunks.
struct JournalReader {
    private static let pieceSize = 64 << 10

    let layout: StoreLayout
    let system: FileSystem
    let diagnostics: TelemetryDiagnosticsHandler?
    /// The position of the next line.
    private(set) var position: JournalPosition
    private var file: OpenFile?
    private var piece: [UInt8] = []
    /// Whether the bytes up to the next line feed belong to a line that is too long.
    private var isInLongLine = false
    private var pieceStart = 0
    /// The number of the next file, once known; the current file no longer grows then.
    private var later: UInt64?
    /// The reading position before missing files were skipped.
    private var gap: JournalPosition?
    /// Whether the summaries of batches are read.
    private let readsSummaries: Bool
    private var recent = BatchSummary.Recent()

    init(
        layout: StoreLayout, system: FileSystem, diagnostics: TelemetryDiagnosticsHandler?, position: JournalPosition,
        readsSummaries: Bool = false
    ) {
        self.layout = layout
        self.system = system
        self.diagnostics = diagnostics
        self.position = position
        self.readsSummaries = readsSummaries
    }

    /// Returns to an earlier line of the same file. False if it is no longer in memory.
    mutating func rewind(to earlier: JournalPosition) -> Bool {
        guard earlier.file == position.file, earlier.offset <= position.offset,
            position.offset - earlier.offset <= UInt64(pieceStart), !isInLongLine
        else { return false }
        pieceStart -= Int(position.offset - earlier.offset)
        position = earlier
        position.linesRead = 0
        return true
    }

    /// Continues at a later line of the same file.
    mutating func jump(to offset: UInt64, events: UInt64) {
        guard offset > position.offset else { return }
        let distance = offset - position.offset
        if distance <= UInt64(piece.count - pieceStart) {
            pieceStart += Int(distance)
        } else {
            (piece, pieceStart) = ([], 0)
        }
        isInLongLine = false
        (position.offset, position.linesRead, position.events) = (offset, 0, events)
    }

    /// Entries that could not be read: their positions, and the client they appear to name.
    private(set) var tornBatches: [(client: String, at: JournalPosition)] = []
    /// How many lines could not be read, of any kind.
    private(set) var invalidLineCount = 0
    private static let tornBatchesKept = 1_000
    private static let maximumBatchBytes = 1_024

    /// The first missing file since the last call, and the event count at its beginning.
    mutating func takeGap() -> JournalPosition? {
        defer { gap = nil }
        return gap
    }

    /// The next line that this version can read, and the position of its beginning; nil at the journal's end.
    mutating func next() throws(FileError) -> (line: JournalLine, at: JournalPosition)? {
        while true {
            guard let end = piece.withUnsafeBufferPointer({ $0.lineFeed(from: pieceStart) }) else {
                guard try fill() else { return nil }
                continue
            }
            let start = pieceStart
            var at = position
            at.linesRead = 0
            pieceStart = end + 1
            position.linesRead = 0
            position.offset += UInt64(end + 1 - start)
            if isInLongLine || start == end {
                isInLongLine = false
                continue
            }
            let line = piece.withUnsafeBufferPointer {
                JournalLine(
                    UnsafeBufferPointer(rebasing: $0[start..<end]), readsSummary: readsSummaries, &recent)
            }
            guard let line else {
                invalidLineCount += 1
                noteTornBatch(piece[start..<end], at)
                diagnostics?(
                    .init(kind: .tornTail, message: "\(layout.journalFile(at.file)) has an invalid line at offset \(at.offset)."))
                continue
            }
            if case .batch(let batch) = line { position.events = position.events.addingClamped(batch.eventCount) }
            if case .head(_, let events) = line { position.events = events }
            return (line, at)
        }
    }

    private mutating func noteTornBatch(_ line: ArraySlice<UInt8>, _ at: JournalPosition) {
        let words = line.prefix(Self.maximumBatchBytes).split(separator: UInt8(ascii: " "))
        guard tornBatches.count < Self.tornBatchesKept, let kind = words.first,
            !["R", "S", "H"].contains(String(decoding: kind, as: UTF8.self))
        else { return }
        tornBatches.append((words.count > 1 ? String(decoding: words[1], as: UTF8.self) : "", at))
    }

    /// Reads more of this file or the next one. False at the end.
    private mutating func fill() throws(FileError) -> Bool {
        let open: OpenFile
        if let file {
            open = file
        } else {
            guard let opened = try self.open(position.file) else {
                guard let next = try next(after: position.file) else { return false }
                return move(to: next, missing: position.file)
            }
            open = opened
            file = opened
        }
        // Looked up first: if there is a later file, this one is complete.
        if later == nil { later = try next(after: position.file) }
        skipLongLine()
        if isInLongLine { position.offset = max(position.offset, try dataOffset(in: open)) }
        let rest = piece.count - pieceStart
        piece.removeFirst(pieceStart)
        pieceStart = 0
        let more = try open.read(at: position.offset + UInt64(rest), count: min(max(Self.pieceSize, rest), FileLines.pieceBytes))
        if !more.isEmpty {
            piece += more
            return true
        }
        // A line at the end of the newest file may still be incomplete.
        if rest > 0 {
            invalidLineCount += 1
            noteTornBatch(piece[...], position)
        }
        guard let next = later else { return false }
        if rest > 0 {
            diagnostics?(
                .init(kind: .tornTail, message: "\(layout.journalFile(position.file)) ends with a truncated line."))
        }
        return move(to: next, missing: next == position.file + 1 ? nil : position.file + 1)
    }

    /// Skips a line that is too long, up to the next line feed.
    private mutating func skipLongLine() {
        let rest = piece.count - pieceStart
        guard rest > 0, isInLongLine || rest > FileLines.maximumLineBytes else { return }
        if !isInLongLine {
            invalidLineCount += 1
            noteTornBatch(piece[pieceStart...], position)
            diagnostics?(
                .init(
                    kind: .tornTail,
                    message: "\(layout.journalFile(position.file)) has a line at offset \(position.offset) that is too long."))
        }
        isInLongLine = true
        position.offset += UInt64(rest)
        position.linesRead = 0
        (piece, pieceStart) = ([], 0)
    }

    /// The offset at which reading continues, after holes.
    private func dataOffset(in file: OpenFile) throws(FileError) -> UInt64 {
        min(try file.nextData(from: position.offset), try file.status().size)
    }

    private mutating func move(to next: UInt64, missing: UInt64?) -> Bool {
        if let missing, gap == nil { gap = JournalPosition(file: missing, offset: 0, events: position.events) }
        position.file = next
        position.offset = 0
        position.linesRead = 0
        (file, later) = (nil, nil)
        (piece, pieceStart) = ([], 0)
        isInLongLine = false
        return true
    }

    private func open(_ number: UInt64) throws(FileError) -> OpenFile? {
        do { return try system.open(layout.journalFile(number), for: .read) } catch  where error.isNotFound { return nil }
    }

    /// The number of the next existing file: the following number, unless files were removed.
    private func next(after number: UInt64) throws(FileError) -> UInt64? {
        if try system.status(layout.journalFile(number + 1)) != nil { return number + 1 }
        do {
            return try system.list(layout.journal).compactMap(StoreLayout.journalNumber).filter { $0 > number }.min()
        } catch  where error.isNotFound { return nil }
    }
}
