public import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The whole terminal in full-screen mode: no echo, no line editing, and the alternate screen.
public final class Screen: Sendable {
    private struct State {
        var saved: termios?
        var shown: [String] = []
        var reportsMouse = false
    }

    private let output = Descriptor(number: 1)
    private let state = Mutex(State())
    private let isInTmux: Bool

    /// Returns nil if standard input or output is not a terminal, or if the terminal cannot position its cursor.
    public init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard isatty(0) == 1, isatty(1) == 1, !["", "dumb"].contains(environment["TERM"] ?? "") else { return nil }
        isInTmux = !(environment["TMUX"] ?? "").isEmpty
    }

    /// Whether the terminal is in full-screen mode.
    public var isOpen: Bool { state.withLock { $0.saved != nil } }

    public var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Enters full-screen mode.
    public func open() {
        var mode = termios()
        guard tcgetattr(0, &mode) == 0 else { return }
        state.withLock { $0.saved = mode }
        TerminalGuard.arm(mode)
        mode.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
        mode.c_iflag &= ~tcflag_t(IXON | ICRNL)
        tcsetattr(0, TCSAFLUSH, &mode)
        // Alternate screen, no cursor, no wrapping at the right edge.
        output.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
    }

    /// Restores the terminal; a second call does nothing.
    public func close() {
        let saved = state.withLock { state in
            defer {
                state.saved = nil
                state.reportsMouse = false
            }
            return state.saved
        }
        guard var saved else { return }
        output.write("\(TerminalGuard.restoring)")
        tcsetattr(0, TCSAFLUSH, &saved)
        TerminalGuard.disarm()
    }

    /// Sets whether the terminal reports the mouse wheel, in the SGR form. While it does, it does not select text.
    public func reportMouse(_ isOn: Bool) {
        let isChanged = state.withLock { state in
            guard state.saved != nil, state.reportsMouse != isOn else { return false }
            state.reportsMouse = isOn
            return true
        }
        if isChanged { output.write(isOn ? "\u{1B}[?1000h\u{1B}[?1006h" : "\u{1B}[?1006l\u{1B}[?1000l") }
    }

    /// Sends a text to the terminal's clipboard. A terminal without this function ignores it.
    public func copy(_ text: String) {
        guard isOpen else { return }
        output.write(ClipboardSequence.bytes(for: text, isInTmux: isInTmux))
    }

    /// Shows these lines. Only changed lines are sent, for slow connections.
    /// - Parameter isFresh: Whether to redraw all lines, because the contents of the screen are unknown.
    public func show(_ lines: [String], isFresh: Bool) {
        let text = state.withLock { state in
            guard state.saved != nil else { return "" }
            var text = isFresh ? "\u{1B}[2J" : ""
            for (index, line) in lines.enumerated()
            where isFresh || index >= state.shown.count || state.shown[index] != line {
                // Erases before writing: an erase after the last column would remove the last character.
                text += "\u{1B}[\(index + 1);1H\u{1B}[K\(line)"
            }
            state.shown = lines
            return text
        }
        if !text.isEmpty { output.write(text) }
    }
}
