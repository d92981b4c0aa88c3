import Foundation

/// A text stream to /dev/null, for swift-log's `StreamLogHandler`.
public struct NullStream: TextOutputStream, Sendable {
    private let descriptor: FileHandle

    public init() { descriptor = FileHandle.nullDevice }

    /// Calls write(2) once, like an unbuffered handler.
    public mutating func write(_ text: String) {
        var text = text
        let handle = descriptor.fileDescriptor
        text.withUTF8 { _ = Foundation.write(handle, $0.baseAddress, $0.count) }
    }
}
