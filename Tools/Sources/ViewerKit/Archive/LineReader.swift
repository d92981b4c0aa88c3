public import Foundation

/// The lines of a file, one after the other, without holding all of it.
public struct LineReader {
    private let handle: FileHandle
    private var buffer = Data()
    private var isAtEnd = false
    /// How many bytes were read so far.
    public private(set) var position = 0

    public init(_ handle: FileHandle) { self.handle = handle }

    /// The next line without its end; nil behind the last.
    public mutating func next() throws -> Data? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = Data(buffer[..<end])
                buffer = buffer[(end + 1)...]
                return line
            }
            if isAtEnd {
                defer { buffer = Data() }
                return buffer.isEmpty ? nil : Data(buffer)
            }
            let piece = try handle.read(upToCount: 1 << 18) ?? Data()
            isAtEnd = piece.isEmpty
            position += piece.count
            buffer = Data(buffer) + piece
        }
    }
}
