public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file without encoding or index, to measure the cost of system calls.
public final class RawFile {
    private let descriptor: Int32

    public init(directory: URL) throws {
        descriptor = open(
            directory.appending(path: "raw.jsonl").path, O_CREAT | O_APPEND | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    /// Calls write(2) once.
    public func append(_ bytes: [UInt8]) throws {
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard written == bytes.count else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
    }

    /// Reads the complete file in chunks of this many bytes, and counts the lines.
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
