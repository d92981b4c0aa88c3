#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file descriptor with unbuffered output.
struct Descriptor: Sendable {
    let number: Int32
    let isTerminal: Bool

    init(number: Int32) { self.init(number: number, isTerminal: isatty(number) == 1) }

    init(number: Int32, isTerminal: Bool) { (self.number, self.isTerminal) = (number, isTerminal) }

    /// The terminal's columns, or nil if it is not a terminal.
    var width: Int? {
        guard isTerminal else { return nil }
        var size = winsize()
        guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Returns nil if all bytes were written, otherwise `errno`.
    @discardableResult
    func write(_ text: String) -> Int32? { write(Array(text.utf8)) }

    /// Writes all bytes. If the pipe is closed, SIGPIPE ends the process unless it ignores the signal.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Int32? {
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return nil }
            var written = 0
            while written < buffer.count {
                #if canImport(Glibc)
                let count = Glibc.write(number, base + written, buffer.count - written)
                #elseif canImport(Musl)
                let count = Musl.write(number, base + written, buffer.count - written)
                #else
                let count = Darwin.write(number, base + written, buffer.count - written)
                #endif
                if count < 0 {
                    switch errno {
                    case EINTR: continue
                    case EAGAIN:
                        // Another process made the shared descriptor nonblocking, so wait until it is writable.
                        var ready = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                        poll(&ready, 1, -1)
                        continue
                    default: return errno
                    }
                }
                written += count
            }
            return nil
        }
    }
}
