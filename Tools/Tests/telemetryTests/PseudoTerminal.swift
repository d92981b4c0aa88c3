import Foundation
import Programs

/// Both ends of a pseudo-terminal.
final class PseudoTerminal {
    struct Unavailable: Error {}

    /// Keeps the program's end open until the program has opened it by its path.
    private let other: FileHandle
    private let path: String
    private let own: FileHandle
    private let pieces: AsyncStream<Data>

    init(columns: UInt16, rows: UInt16) throws {
        let (master, slave, path) = try Self.open()
        self.path = path
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else { throw Unavailable() }
        own = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        other = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
        self.pieces = pieces
        Thread {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while case let count = read(master, &buffer, buffer.count), count > 0 { continuation.yield(Data(buffer[..<count])) }
            continuation.finish()
        }.start()
    }

    private static func open() throws -> (master: Int32, slave: Int32, path: String) {
        #if os(Linux)
        // Equivalent to `posix_openpt`, which the Glibc module does not export.
        let master = Foundation.open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var number: Int32 = 0
        var locked: Int32 = 0
        guard master >= 0, ioctl(master, 0x4004_5431, &locked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw Unavailable()
        }
        let path = "/dev/pts/\(number)"
        #else
        let master = posix_openpt(O_RDWR | O_NOCTTY)
        guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else { throw Unavailable() }
        let path = String(cString: name)
        #endif
        let slave = Foundation.open(path, O_RDWR | O_NOCTTY)
        guard slave >= 0 else { throw Unavailable() }
        return (master, slave, path)
    }

    /// Starts the tool, with its three streams on this terminal, and returns when it has opened it.
    func start(_ arguments: [String], environment: [String: String]) async throws -> RunningProgram {
        try await start(ToolProcess.executable.path, arguments, environment: environment)
    }

    /// Starts a program in the same way.
    func start(_ path: String, _ arguments: [String], environment: [String: String]) async throws -> RunningProgram {
        let program = try await RunningProgram.start(
            URL(filePath: "/bin/sh"),
            ["-c", "exec \"$0\" \"$@\" <\(self.path) >\(self.path) 2>\(self.path)", path] + arguments,
            environment: environment)
        // The shell's own stream of errors ends when the terminal takes its place.
        for await _ in program.errors {}
        return program
    }

    /// Closes the test's copy of the program's end, so that the end of the program is detected.
    func closeOther() { try? other.close() }

    func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(own.fileDescriptor, UInt(TIOCSWINSZ), &size)
    }

    /// The terminal's local modes.
    var mode: [tcflag_t] {
        var mode = termios()
        guard tcgetattr(own.fileDescriptor, &mode) == 0 else { return [] }
        return [mode.c_iflag, mode.c_oflag, mode.c_cflag, mode.c_lflag]
    }

    func write(_ text: String) { try? own.write(contentsOf: Data(text.utf8)) }

    /// Returns the program's output as soon as it satisfies the condition.
    func text(until condition: (String) -> Bool) async throws -> String {
        var text = Data()
        for await piece in pieces {
            text += piece
            let string = String(decoding: text, as: UTF8.self)
            if condition(string) { return string }
        }
        throw Unavailable()
    }
}
