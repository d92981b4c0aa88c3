public import Foundation

/// Reads a file line by line without loading it into memory.
public struct LineReader {
    private static let pieceSize = 1 << 18

    private let handle: FileHandle
    private let maximumLineBytes: Int
    private var bytes: [UInt8] = []
    /// The offset of the next line in the buffer.
    private var start = 0
    private var isAtEnd = false
    /// The number of bytes read so far.
    public private(set) var position = 0

    /// - Parameter maximumLineBytes: The maximum length of a line in bytes. A record has at most 16 MiB.
    public init(_ handle: FileHandle, maximumLineBytes: Int = 64 << 20) {
        self.handle = handle
        self.maximumLineBytes = maximumLineBytes
    }

    /// The next line without its line end, or nil at the end of the file.
    /// - Throws: ``ToolFailure`` for a line that exceeds the maximum length.
    public mutating func next() throws -> Data? {
        var searched = start
        while true {
            if let end = lineFeed(from: searched) {
                defer { start = end + 1 }
                return Data(bytes[start..<end])
            }
            if isAtEnd {
                defer { (bytes, start) = ([], 0) }
                return start < bytes.count ? Data(bytes[start...]) : nil
            }
            bytes.removeFirst(start)
            start = 0
            searched = bytes.count
            guard searched <= maximumLineBytes else {
                throw ToolFailure(.data, "A line is longer than \(maximumLineBytes) bytes.")
            }
            let piece = try handle.read(upToCount: Self.pieceSize) ?? Data()
            isAtEnd = piece.isEmpty
            position += piece.count
            bytes += piece
        }
    }

    private func lineFeed(from index: Int) -> Int? {
        bytes.withUnsafeBytes { buffer in
            guard index < buffer.count, let base = buffer.baseAddress,
                let found = memchr(base + index, 0x0A, buffer.count - index)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }
}
