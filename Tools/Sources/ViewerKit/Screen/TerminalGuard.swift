import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Gives the terminal back also where the process ends by a fault: then no code of Swift's runs any more, only a handler that
/// may do next to nothing.
enum TerminalGuard {
    /// What undoes what ``Screen`` asks of a terminal: wrapping, the cursor, the first screen.
    static let restoring: StaticString = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private static let faults = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGQUIT]
    /// Where the terminal's own mode lies, and what the process did about each signal before; 0 where there is nothing to undo.
    private static let mode = Atomic<UInt>(0)
    private static let actions = Atomic<UInt>(0)

    /// From here on a fault gives the terminal this mode back.
    static func arm(_ saved: termios) {
        if actions.load(ordering: .acquiring) == 0 {
            let before = UnsafeMutablePointer<sigaction>.allocate(capacity: 64)
            for number in faults { _ = sigaction(number, nil, before + Int(number)) }
            actions.store(UInt(bitPattern: before), ordering: .releasing)
            for number in faults { signal(number, handler) }
        }
        // Kept as long as the process runs: a fault may come at any moment.
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
        // What would have happened without this happens when the handler returns.
        if let before = UnsafePointer<sigaction>(bitPattern: TerminalGuard.actions.load(ordering: .acquiring)) {
            _ = sigaction(number, before + Int(number), nil)
        }
        raise(number)
    }
}
