#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An open file that is written to without a buffer in between.
struct Descriptor: Sendable {
    let number: Int32

    var isTerminal: Bool { isatty(number) == 1 }

    /// The terminal's columns; nil where there is none.
    var width: Int? {
        guard isTerminal else { return nil }
        var size = winsize()
        guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Nil where all of it was written, otherwise the system's number of what went wrong.
    @discardableResult
    func write(_ text: String) -> Int32? { write(Array(text.utf8)) }

    /// Writes all of it. Where nobody reads any more the process ends by SIGPIPE, as a command in a pipe should, unless it
    /// ignores that.
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
                        // Whoever shares the descriptor wants it so; it is waited for here.
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
