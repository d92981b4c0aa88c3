public import Foundation

/// A file of lines in parts that can be read in any order and at the same time.
///
/// A part contains the lines that begin in its range of the file.
public struct ArchiveParts: Sendable {
    private static let pieceSize = 1 << 12

    private let handle: FileHandle
    private let offset: Int
    private let size: Int
    private let partSize: Int
    private let maximumLineBytes: Int

    /// - Parameters:
    ///   - offset: The offset in the file at which the first line begins.
    ///   - size: The size of the file.
    ///   - maximumLineBytes: The maximum length of a line in bytes.
    public init(
        _ handle: FileHandle, from offset: Int, size: Int, partSize: Int = 2 << 20, maximumLineBytes: Int = 64 << 20
    ) {
        self.handle = handle
        self.offset = offset
        self.size = size
        self.partSize = max(partSize, 1)
        self.maximumLineBytes = maximumLineBytes
    }

    public var count: Int { (max(0, size - offset) + partSize - 1) / partSize }

    /// The offset in the file at which a part ends.
    public func end(of part: Int) -> Int { min(size, offset + (part + 1) * partSize) }

    /// The lines of a part as a range of the bytes that were read. The last line of the file may lack a line feed.
    /// - Throws: ``ToolFailure`` for a line that exceeds the maximum length, or an error of the file system.
    public func read(_ part: Int) throws -> (bytes: [UInt8], lines: Range<Int>) {
        let start = offset + part * partSize
        // A line begins after a line feed, which may be the last byte of the previous part.
        let first = part == 0 ? start : start - 1
        let count = end(of: part) - first
        // The rest of the last line is mostly read at once.
        var bytes = try bytes(at: first, count: count + Self.pieceSize)
        // The last byte of the part; the bytes after it belong to its last line, unless it is a line feed.
        let last = min(bytes.count, count) - 1
        var begin = 0
        if part > 0 {
            guard let feed = Self.feed(in: bytes, 0..<max(0, last)) else { return ([], 0..<0) }
            begin = feed + 1
        }
        guard last >= begin else { return ([], 0..<0) }
        let lastLine = bytes[begin..<last].lastIndex(of: 0x0A).map { $0 + 1 } ?? begin
        var searched = last
        while true {
            if let feed = Self.feed(in: bytes, searched..<bytes.count) { return (bytes, begin..<feed + 1) }
            guard bytes.count - lastLine <= maximumLineBytes else {
                throw ToolFailure(.data, "A line is longer than \(maximumLineBytes) bytes.")
            }
            searched = bytes.count
            bytes += try self.bytes(at: first + searched, count: max(Self.pieceSize, searched / 2))
            if bytes.count == searched { return (bytes, begin..<searched) }
        }
    }

    private static func feed(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
        bytes.withUnsafeBytes { buffer in
            guard !range.isEmpty, let base = buffer.baseAddress,
                let found = memchr(base + range.lowerBound, 0x0A, range.count)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// Fewer bytes only at the end of the file.
    private func bytes(at offset: Int, count: Int) throws -> [UInt8] {
        var failure: Int32?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count, let base = buffer.baseAddress {
                let result = pread(handle.fileDescriptor, base + filled, count - filled, off_t(offset + filled))
                if result < 0 && errno == EINTR { continue }
                if result < 0 { failure = errno }
                if result <= 0 { return }
                filled += result
            }
        }
        if let failure { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        return bytes
    }
}
