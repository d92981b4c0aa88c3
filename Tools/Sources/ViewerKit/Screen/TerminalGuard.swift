import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Restores the terminal if the process crashes, in a signal handler, which may call only async-signal-safe functions.
enum TerminalGuard {
    /// The sequences that undo those of ``Screen``: mouse reports, wrapping, the cursor, the main screen.
    static let restoring: StaticString = "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private static let faults = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGQUIT]
    /// The addresses of the terminal's saved mode and of the previous signal actions; 0 if there is nothing to restore.
    private static let mode = Atomic<UInt>(0)
    private static let actions = Atomic<UInt>(0)

    /// Restores this mode of the terminal if the process crashes from now on.
    static func arm(_ saved: termios) {
        if actions.load(ordering: .acquiring) == 0 {
            let before = UnsafeMutablePointer<sigaction>.allocate(capacity: 64)
            for number in faults { _ = sigaction(number, nil, before + Int(number)) }
            actions.store(UInt(bitPattern: before), ordering: .releasing)
            for number in faults { signal(number, handler) }
        }
        // Never freed, because a crash may happen at any time.
        let copy = UnsafeMutablePointer<termios>.allocate(capacity: 1)
        copy.initialize(to: saved)
        mode.store(UInt(bitPattern: copy), ordering: .releasing)
    }

    static func disarm() { mode.store(0, ordering: .releasing) }

    private static let handler: @convention(c) (Int32) -> Void = { number in
        if let saved = UnsafePointer<termios>(bitPattern: TerminalGuard.mode.exchange(0, ordering: .acquiringAndReleasing)) {
            _ = write(1, TerminalGuard.restoring.utf8Start, TerminalGuard.restoring.utf8CodeUnitCount)
            tcsetattr(0, TCSANOW, saved)
        }
        // The previous signal action runs when the handler returns.
        if let before = UnsafePointer<sigaction>(bitPattern: TerminalGuard.actions.load(ordering: .acquiring)) {
            _ = sigaction(number, before + Int(number), nil)
        }
        raise(number)
    }
}
