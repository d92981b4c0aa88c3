import TelemetryModels

/// Reads the journal forwards, in pieces.
struct JournalReader {
    private static let pieceSize = 64 << 10

    let layout: StoreLayout
    let system: FileSystem
    let diagnostics: TelemetryDiagnosticsHandler?
    /// Where the next line begins.
    private(set) var position: JournalPosition
    private var file: OpenFile?
    private var piece: [UInt8] = []
    private var pieceStart = 0
    /// The newest journal file known; a file below it will not grow any more.
    private var newest: UInt64 = 0

    init(
        layout: StoreLayout, system: FileSystem, diagnostics: TelemetryDiagnosticsHandler?, position: JournalPosition
    ) {
        self.layout = layout
        self.system = system
        self.diagnostics = diagnostics
        self.position = position
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
            if start == end { continue }
            let line = piece.withUnsafeBufferPointer { JournalLine(UnsafeBufferPointer(rebasing: $0[start..<end])) }
            guard let line else {
                diagnostics?(
                    .init(kind: .tornTail, message: "\(layout.journalFile(at.file)) has a line at \(at.offset) that is torn."))
                continue
            }
            if case .batch(let batch) = line { position.events = position.events.addingClamped(batch.eventCount) }
            if case .head(_, let events) = line { position.events = events }
            return (line, at)
        }
    }

    /// Reads on, in this file or the one after it. False where there is nothing more.
    private mutating func fill() throws(FileError) -> Bool {
        let open: OpenFile
        if let file {
            open = file
        } else {
            guard let opened = try self.open(position.file) else { return false }
            open = opened
            file = opened
        }
        // Asked for first: where there is a later file, nobody writes to this one any more, and its end is its end.
        let hasLater = if position.file < newest { true } else { try isThere(position.file + 1) }
        var rest = piece.count - pieceStart
        piece.removeFirst(pieceStart)
        pieceStart = 0
        let more = try open.read(at: position.offset + UInt64(rest), count: max(Self.pieceSize, rest))
        if !more.isEmpty {
            piece += more
            return true
        }
        guard hasLater else { return false }
        if rest > 0 {
            diagnostics?(
                .init(kind: .tornTail, message: "\(layout.journalFile(position.file)) ends in a line that is torn."))
            piece = []
            rest = 0
        }
        position.file += 1
        position.offset = 0
        file = nil
        return true
    }

    private func open(_ number: UInt64) throws(FileError) -> OpenFile? {
        do { return try system.open(layout.journalFile(number), for: .read) } catch  where error.isNotFound { return nil }
    }

    private mutating func isThere(_ number: UInt64) throws(FileError) -> Bool {
        guard try system.status(layout.journalFile(number)) != nil else { return false }
        newest = max(newest, number)
        return true
    }
}
