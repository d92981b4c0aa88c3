/// The lines of a part of a file, read in chunks, so that memory use is bounded.
package struct FileLines {
    package struct FileLine {
        package var offset: UInt64
        /// The offset after the line and its line feed.
        package var end: UInt64
        package var hasFeed: Bool
        /// Whether the line is too long to be the store's; its bytes are not read.
        package var isTooLong = false
        fileprivate var range = 0..<0
    }

    /// The maximum length of a line in bytes; a longer one is not the store's.
    package static let maximumLineBytes = 16 << 20
    /// The maximum number of bytes that are read at once.
    package static let pieceBytes = 1 << 20

    private let file: OpenFile
    /// The end of the part.
    package let end: UInt64
    private var bytes: [UInt8] = []
    /// The offset of the buffered bytes in the file.
    private var bytesOffset: UInt64
    /// The index of the next line in the buffered bytes.
    private var start = 0

    package init(_ file: OpenFile, _ range: Range<UInt64>) {
        self.file = file
        bytesOffset = range.lowerBound
        end = range.upperBound
    }

    /// The offset of the next line.
    package var offset: UInt64 { bytesOffset + UInt64(start) }

    /// The next line; nil at the end of the part, or of the file.
    package mutating func next() throws(FileError) -> FileLine? {
        var searched = 0
        while true {
            if let feed = bytes.withUnsafeBufferPointer({ $0.lineFeed(from: start + searched) }) {
                return take(upTo: feed, hasFeed: true)
            }
            searched = bytes.count - start
            if searched > Self.maximumLineBytes { return try skipLine() }
            guard try fill() else { return searched > 0 ? take(upTo: bytes.count, hasFeed: false) : nil }
        }
    }

    package func withBytes<Result, Failure>(
        of line: FileLine, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withUnsafeBufferPointer { bytes throws(Failure) in try body(UnsafeBufferPointer(rebasing: bytes[line.range])) }
    }

    /// Up to `count` of the next bytes.
    package mutating func peek(_ count: Int) throws(FileError) -> ArraySlice<UInt8> {
        while bytes.count - start < count, try fill() {}
        return bytes[start..<min(start + count, bytes.count)]
    }

    /// Continues at a later offset.
    package mutating func move(to offset: UInt64) {
        if let index = MemorySize.index(of: offset, from: bytesOffset, count: bytes.count) {
            start = index
        } else {
            (bytes, bytesOffset, start) = ([], min(offset, end), 0)
        }
    }

    private mutating func take(upTo index: Int, hasFeed: Bool) -> FileLine {
        let line = FileLine(
            offset: offset, end: bytesOffset + UInt64(index + (hasFeed ? 1 : 0)), hasFeed: hasFeed,
            range: start..<index)
        start = index + (hasFeed ? 1 : 0)
        return line
    }

    private mutating func fill() throws(FileError) -> Bool {
        let at = bytesOffset + UInt64(bytes.count)
        guard at < end else { return false }
        let more = try file.read(at: at, count: MemorySize.piece(from: at, to: end, atMost: Self.pieceBytes))
        if more.isEmpty { return false }
        bytes.removeFirst(start)
        bytesOffset += UInt64(start)
        start = 0
        if bytes.isEmpty { bytes = more } else { bytes += more }
        return true
    }

    /// Holes in the file are skipped.
    private mutating func skipLine() throws(FileError) -> FileLine {
        let lineOffset = offset
        var at = bytesOffset + UInt64(bytes.count)
        (bytes, start) = ([], 0)
        while at < end {
            at = min(try file.nextData(from: at), end)
            guard at < end else { break }
            let more = try file.read(at: at, count: MemorySize.piece(from: at, to: end, atMost: Self.pieceBytes))
            if more.isEmpty { break }
            if let feed = more.withUnsafeBufferPointer({ $0.lineFeed(from: 0) }) {
                (bytes, bytesOffset, start) = (more, at, feed + 1)
                return FileLine(offset: lineOffset, end: offset, hasFeed: true, isTooLong: true)
            }
            at += UInt64(more.count)
        }
        bytesOffset = at
        return FileLine(offset: lineOffset, end: at, hasFeed: false, isTooLong: true)
    }
}
