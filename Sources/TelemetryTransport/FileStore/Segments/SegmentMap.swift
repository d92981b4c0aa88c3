import TelemetrySystem

/// Bytes of a segment that stay contiguous when something else is deleted from it.
struct SegmentRun {
    /// The offset and number of the bytes in the segment as first written.
    var offset: UInt64
    var byteCount: UInt64
    /// The offset in the file of the header that applies to the first line; zero if there is none.
    var header: UInt64
    /// The offset of the bytes in the file, and how many are left: fewer than ``byteCount`` if lines were emptied.
    var start: UInt64 = 0
    var size: UInt64

    var isComplete: Bool { size == byteCount }
    var end: UInt64 { offset + byteCount }
}

/// Locates the lines of a journal entry in a segment's file, both for reading and for deleting.
struct SegmentMap {
    let form: SegmentForm
    private(set) var runs: [SegmentRun] = []
    /// The bytes between the runs: runs with a damaged line. They contain no batch that can be located, but may contain the header
    /// of a later batch.
    private(set) var lost: [SegmentRun] = []

    /// Reads a segment in runs once, to locate them.
    init(form: SegmentForm, file: OpenFile) throws(FileError) {
        self.form = form
        if form == .asWritten { return }
        var lines = FileLines(file, 0..<(try file.status().size))
        try findRuns(in: &lines)
    }

    /// The location of the batch's lines in the file; nil if none are left.
    func place(of batch: JournalBatch) -> Range<UInt64>? {
        switch form {
        case .asWritten: return batch.offset..<batch.offset + batch.byteCount
        case .inRuns:
            guard let run = run(at: batch.offset) else { return nil }
            if run.offset == batch.offset, run.byteCount == batch.byteCount { return run.start..<run.start + run.size }
            guard run.isComplete, batch.offset + batch.byteCount <= run.end else { return nil }
            let start = run.start + (batch.offset - run.offset)
            return start..<start + batch.byteCount
        }
    }

    /// The offset of the header that applies to the batch's first line; nil if the batch begins with one, or there is none.
    func header(of batch: JournalBatch) -> UInt64? {
        guard batch.headerOffset < batch.offset else { return nil }
        switch form {
        case .asWritten: return batch.headerOffset
        case .inRuns:
            guard let run = run(at: batch.offset) else { return nil }
            if run.isComplete, batch.headerOffset >= run.offset { return run.start + (batch.headerOffset - run.offset) }
            return run.header > 0 ? run.header : nil
        }
    }

    private func run(at offset: UInt64) -> SegmentRun? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].offset <= offset { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? runs[low - 1] : nil
    }

    /// Finds each run after the end of the previous one, whose content is skipped. After a damaged line, continues at the next
    /// valid one.
    private mutating func findRuns(in lines: inout FileLines) throws(FileError) {
        let end = lines.end
        lines.move(to: UInt64(form.firstLine.count))
        while lines.offset < end, runs.count < FileLimits.knownRuns {
            let start = lines.offset
            let beginning = try lines.peek(SegmentRun.maximumLineBytes)
            if let (found, length) = beginning.withUnsafeBufferPointer({ SegmentRun.read($0) }),
                found.offset >= runs.last?.end ?? 0,
                // Counts the line feed, which may be damaged.
                start + UInt64(length) + 1 <= end, found.size <= end - start - UInt64(length) - 1
            {
                var run = found
                run.start = start + UInt64(length) + 1
                runs.append(run)
                lines.move(to: run.start + run.size)
            } else {
                guard let line = try lines.next() else { break }
                if let last = lost.last, last.start + last.size == start {
                    lost[lost.count - 1].size += line.end - start
                } else {
                    lost.append(
                        SegmentRun(offset: runs.last?.end ?? 0, byteCount: 0, header: 0, start: start, size: line.end - start))
                }
            }
        }
    }
}

extension SegmentRun {
    /// Appends the line above a run, with its line feed.
    func append(to buffer: ByteBuffer) {
        buffer.append(literal: "{\"run\":")
        let start = buffer.count
        for (index, number) in [offset, byteCount, header, size].enumerated() {
            buffer.append(UInt8(ascii: index == 0 ? "[" : ","))
            buffer.append(decimal: number)
        }
        buffer.append(UInt8(ascii: "]"))
        let checksum = LineChecksum.hash(UnsafeRawBufferPointer(rebasing: buffer.bytes[start...]))
        buffer.append(literal: ",\"checksum\":\"")
        buffer.append(hexadecimal: checksum)
        buffer.append(literal: "\"}\n")
    }

    /// The maximum length of such a line, in bytes: four numbers below 2^56, and the fixed text.
    static let maximumLineBytes = 128

    /// Reads the line above a run from the first bytes. Returns the run and the line's length; nil for another or a damaged line.
    static func read(_ line: UnsafeBufferPointer<UInt8>) -> (run: SegmentRun, length: Int)? {
        var scanner = JSONScanner(line)
        guard scanner.consume(literal: "{\"run\":") else { return nil }
        let start = scanner.position
        guard scanner.consume(UInt8(ascii: "[")), let offset = scanner.unsigned(), scanner.consume(UInt8(ascii: ",")),
            let byteCount = scanner.unsigned(), scanner.consume(UInt8(ascii: ",")), let header = scanner.unsigned(),
            scanner.consume(UInt8(ascii: ",")), let size = scanner.unsigned(), scanner.consume(UInt8(ascii: "]")),
            max(offset, byteCount, header, size) < StoreLayout.numberLimit
        else { return nil }
        let numbers = UnsafeBufferPointer(rebasing: line[start..<scanner.position])
        guard scanner.consume(literal: ",\"checksum\":"), let digits = scanner.rawString()?.bytes,
            LineChecksum.read(digits) == LineChecksum.hash(UnsafeRawBufferPointer(numbers)),
            scanner.consume(UInt8(ascii: "}"))
        else { return nil }
        return (SegmentRun(offset: offset, byteCount: byteCount, header: header, size: size), scanner.position)
    }
}
