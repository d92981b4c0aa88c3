import TelemetryModels
import TelemetrySystem

extension SegmentRewriter {
    private static let copiedBytes = 64 << 10

    /// Writes the remaining lines to an empty file.
    mutating func write(to new: OpenFile) throws(FileError) {
        var output = PieceWriter(new)
        try output.append(firstLine)
        for part in parts {
            let line = ByteBuffer()
            part.run.append(to: line)
            try output.makeRoom(for: line.count)
            output.buffer.append(line.bytes)
            let end = output.offset + part.run.size
            if let header = part.header {
                try writeLines(of: part.place, below: header, to: &output)
            } else {
                try copy(part.place, to: &output)
            }
            // EIO: the segment was changed without the lock, and the offsets of its runs would be wrong.
            guard output.offset == end else { throw FileError(.read, file.path, errno: 5) }
        }
        try output.finish()
    }

    /// Writes the lines that are not selected, and only the line feeds of the others.
    private mutating func writeLines(
        of place: Range<UInt64>, below header: UInt64, to output: inout PieceWriter
    ) throws(FileError) {
        var decoder = decoder()
        decoder.context = try context(at: header)
        var lines = FileLines(file, place)
        while let line = try lines.next() {
            if line.isTooLong {
                _ = decoder.decode(line, of: lines)
                try copy(line.offset..<line.end, to: &output)
                continue
            }
            if case .event(let event) = decoder.decode(line, of: lines), filter.matches(event) {
                // The empty line stays, so that later lines keep their numbers.
            } else {
                try output.makeRoom(for: MemorySize.count(from: line.offset, to: line.end))
                lines.withBytes(of: line) { output.buffer.append($0) }
            }
            if line.hasFeed { try output.append([UInt8(ascii: "\n")]) }
        }
    }

    /// Copies bytes; holes in the file remain holes.
    private func copy(_ place: Range<UInt64>, to output: inout PieceWriter) throws(FileError) {
        var offset = place.lowerBound
        while offset < place.upperBound {
            let data = min(try file.nextData(from: offset), place.upperBound)
            if data > offset {
                try output.skip(data - offset)
                offset = data
                continue
            }
            let bytes = try file.read(
                at: offset, count: MemorySize.piece(from: offset, to: place.upperBound, atMost: Self.copiedBytes))
            if bytes.isEmpty { return }
            try output.append(bytes)
            offset += UInt64(bytes.count)
        }
    }
}

/// Writes a file sequentially, in chunks, with holes for skipped bytes.
private struct PieceWriter {
    private let file: OpenFile
    let buffer = ByteBuffer(capacity: FileLines.pieceBytes)
    /// The offset in the file of the bytes in the buffer.
    private var start: UInt64 = 0

    init(_ file: OpenFile) { self.file = file }

    var offset: UInt64 { start + UInt64(buffer.count) }

    /// Must be called before `count` bytes are appended to the buffer.
    mutating func makeRoom(for count: Int) throws(FileError) {
        if count > FileLines.pieceBytes - buffer.count { try flush() }
    }

    mutating func append(_ bytes: [UInt8]) throws(FileError) {
        try makeRoom(for: bytes.count)
        bytes.withUnsafeBytes { buffer.append($0) }
    }

    mutating func skip(_ count: UInt64) throws(FileError) {
        try flush()
        start += count
    }

    mutating func finish() throws(FileError) {
        try flush()
        try file.truncate(to: start)
    }

    private mutating func flush() throws(FileError) {
        if buffer.count > 0 { try file.write(buffer.bytes, at: start) }
        start += UInt64(buffer.count)
        buffer.truncate()
    }
}
