#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The keys of the terminal on standard input.
public struct KeyReader {
    /// How long to wait for the rest of a key's bytes, in milliseconds, as a slow connection may split them.
    private static let completionTimeout: Int32 = 40

    public init() {}

    /// Waits for keys. Returns nil if the terminal is closed.
    public func next() -> [Key]? {
        guard var bytes = piece() else { return nil }
        while Key.isIncomplete(bytes) {
            var descriptor = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, Self.completionTimeout) > 0, let more = piece() else { break }
            bytes += more
        }
        return Key.parse(bytes)
    }

    private func piece() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1_024)
        while true {
            let count = read(0, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? Array(buffer[..<count]) : nil
        }
    }
}
