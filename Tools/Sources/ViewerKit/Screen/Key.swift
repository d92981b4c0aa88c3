/// A key that was pressed.
public enum Key: Sendable, Equatable {
    case character(Character)
    /// A letter pressed together with Control, in lowercase.
    case control(Character)
    case up, down, left, right, shiftLeft, shiftRight, pageUp, pageDown, home, end, tab, backTab, enter, escape, backspace,
        interrupt, suspend, wheelUp, wheelDown

    /// Parses the bytes of a terminal as keys. Unknown sequences are skipped.
    public static func parse(_ bytes: some Collection<UInt8>) -> [Key] {
        var keys: [Key] = []
        var rest = ArraySlice(bytes)
        while let byte = rest.popFirst() {
            switch byte {
            case 0x1B: if let key = escaped(&rest) { keys.append(key) }
            case 0x03: keys.append(.interrupt)
            case 0x1A: keys.append(.suspend)
            case 0x09: keys.append(.tab)
            case 0x0A, 0x0D: keys.append(.enter)
            case 0x08, 0x7F: keys.append(.backspace)
            case 0x01..<0x1B: keys.append(.control(Character(Unicode.Scalar(byte | 0x60))))
            case 0x00..<0x20: break
            default:
                let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
                let text = String(decoding: [byte] + rest.prefix(length - 1), as: UTF8.self)
                rest = rest.dropFirst(length - 1)
                keys += text.map(Key.character)
            }
        }
        return keys
    }

    /// Whether the bytes end within a key, so that more bytes are likely to follow. A single escape may be a key.
    static func isIncomplete(_ bytes: [UInt8]) -> Bool {
        if let start = bytes.lastIndex(of: 0x1B) {
            let sequence = bytes[(start + 1)...]
            guard let introducer = sequence.first else { return true }
            guard introducer == UInt8(ascii: "[") || introducer == UInt8(ascii: "O") else { return false }
            return !sequence.dropFirst().contains { (0x40...0x7E).contains($0) }
        }
        guard let lead = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return false }
        let length = bytes[lead] < 0xC0 ? 1 : bytes[lead] < 0xE0 ? 2 : bytes[lead] < 0xF0 ? 3 : 4
        return bytes.count - lead < length
    }

    /// Parses the bytes after an escape, such as `[A`, `OA` or `[5~`. A single escape is a key.
    private static func escaped(_ rest: inout ArraySlice<UInt8>) -> Key? {
        guard let introducer = rest.first, introducer == UInt8(ascii: "[") || introducer == UInt8(ascii: "O") else {
            return .escape
        }
        rest.removeFirst()
        var number: [UInt8] = []
        while let byte = rest.popFirst() {
            if (0x40...0x7E).contains(byte) {
                // A mouse report of a terminal without the SGR form: three more bytes.
                if byte == UInt8(ascii: "M"), number.isEmpty { rest = rest.dropFirst(3) }
                return key(final: byte, number: String(decoding: number, as: UTF8.self))
            }
            number.append(byte)
        }
        return nil
    }

    private static func key(final: UInt8, number: String) -> Key? {
        switch (Character(Unicode.Scalar(final)), number) {
        case ("A", _): .up
        case ("B", _): .down
        case ("C", "1;2"): .shiftRight
        case ("D", "1;2"): .shiftLeft
        case ("C", _): .right
        case ("D", _): .left
        case ("M", _) where number.hasPrefix("<64;"): .wheelUp
        case ("M", _) where number.hasPrefix("<65;"): .wheelDown
        case ("H", _), ("~", "1"), ("~", "7"): .home
        case ("F", _), ("~", "4"), ("~", "8"): .end
        case ("~", "5"): .pageUp
        case ("~", "6"): .pageDown
        case ("Z", _): .backTab
        default: nil
        }
    }
}
