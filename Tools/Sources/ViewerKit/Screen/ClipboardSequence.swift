import Foundation

/// The sequence OSC 52, by which a program sets the clipboard of the terminal, also over ssh.
public enum ClipboardSequence {
    /// The maximum number of bytes of a text: terminals ignore longer sequences.
    public static let maximumBytes = 65_536

    /// The prefix of the text that is sent, which ends between two characters.
    public static func sent(of text: String) -> String {
        guard text.utf8.count > maximumBytes else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: maximumBytes)
        while end.samePosition(in: text) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end])
    }

    /// - Parameter isInTmux: Whether to send the sequence also inside of tmux's passthrough sequence. Which of the two has an
    ///   effect depends on tmux's settings `set-clipboard` and `allow-passthrough`.
    static func bytes(for text: String, isInTmux: Bool) -> String {
        let sequence = "\u{1B}]52;c;\(Data(sent(of: text).utf8).base64EncodedString())\u{7}"
        return isInTmux ? sequence + "\u{1B}Ptmux;\u{1B}\(sequence)\u{1B}\\" : sequence
    }
}
