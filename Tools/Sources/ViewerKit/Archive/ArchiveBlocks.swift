public import Foundation

/// Reads the lines of a file in large blocks.
public struct ArchiveBlocks {
    private static let blockSize = 4 << 20

    private let handle: FileHandle
    private let maximumLineBytes: Int
    /// The beginning of a line whose end was not read yet.
    private var rest: [UInt8] = []
    private var isAtEnd = false
    /// The number of bytes read so far.
    public private(set) var position: Int

    /// - Parameters:
    ///   - offset: The offset in the file at which to begin.
    ///   - maximumLineBytes: The maximum length of a line in bytes.
    public init(_ handle: FileHandle, from offset: Int, maximumLineBytes: Int = 64 << 20) throws {
        self.handle = handle
        self.maximumLineBytes = maximumLineBytes
        position = offset
        try handle.seek(toOffset: UInt64(offset))
    }

    /// The next complete lines, with their line feeds; the last line of the file may lack one. Nil at the end of the file.
    /// - Throws: ``ToolFailure`` for a line that exceeds the maximum length.
    public mutating func next() throws -> [UInt8]? {
        var bytes = rest
        rest = []
        while !isAtEnd {
            let piece = try handle.read(upToCount: Self.blockSize) ?? Data()
            isAtEnd = piece.isEmpty
            position += piece.count
            bytes += piece
            if let feed = piece.lastIndex(of: 0x0A) {
                let end = bytes.count - (piece.endIndex - feed - 1)
                rest = Array(bytes[end...])
                bytes.removeLast(bytes.count - end)
                return bytes
            }
            guard bytes.count <= maximumLineBytes else {
                throw ToolFailure(.data, "A line is longer than \(maximumLineBytes) bytes.")
            }
        }
        return bytes.isEmpty ? nil : bytes
    }
}
