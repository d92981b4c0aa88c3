import Foundation

/// /dev/null as a stream of text, for swift-log's own handler.
public struct NullStream: TextOutputStream, Sendable {
    private let descriptor: FileHandle

    public init() { descriptor = FileHandle.nullDevice }

    /// One call of write(2), as a handler that keeps nothing back makes it.
    public mutating func write(_ text: String) {
        var text = text
        let handle = descriptor.fileDescriptor
        text.withUTF8 { _ = Foundation.write(handle, $0.baseAddress, $0.count) }
    }
}
