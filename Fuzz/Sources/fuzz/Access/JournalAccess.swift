@testable import TelemetrySystem
@testable import TelemetryTransport

/// The journal's reader and writer of lines.
enum JournalAccess {
    /// Parses and reformats the line, without its line feeds. Returns nil if the line is invalid.
    static func rewritten(_ line: [UInt8]) -> [UInt8]? {
        guard let line = line.withUnsafeBufferPointer({ JournalLine($0) }) else { return nil }
        let buffer = ByteBuffer()
        line.append(to: buffer)
        return Array(buffer.bytes.dropFirst().dropLast())
    }

    /// Appends the line's checksum, so that the code after the validation of the checksum is reached.
    static func sealed(_ body: [UInt8]) -> [UInt8] {
        var hash: UInt32 = 0x811c_9dc5
        for byte in body { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        let digits = Array("0123456789abcdef".utf8)
        return body + [0x20] + stride(from: 28, through: 0, by: -4).map { digits[Int(hash >> UInt32($0)) & 15] }
    }
}
