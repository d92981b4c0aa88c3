public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is only written to and read from, with nothing around it: what the system call costs.
public final class RawFile {
    private let descriptor: Int32

    public init(directory: URL) throws {
        descriptor = open(
            directory.appending(path: "raw.jsonl").path, O_CREAT | O_APPEND | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    /// One call of write(2).
    public func append(_ bytes: [UInt8]) throws {
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written == bytes.count else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
    }

    /// Reads from the beginning to the end, so many bytes at a time, and counts the lines.
    public func countLines(chunk: Int) throws -> Int {
        var buffer = [UInt8](repeating: 0, count: chunk)
        var offset: off_t = 0
        var lines = 0
        while true {
            let count = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, offset) }
            guard count >= 0 else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
            if count == 0 { return lines }
            offset += off_t(count)
            for byte in buffer[..<count] where byte == UInt8(ascii: "\n") { lines += 1 }
        }
    }
}
