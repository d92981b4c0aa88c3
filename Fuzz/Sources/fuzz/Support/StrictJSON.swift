/// Validates JSON as RFC 8259 defines it. Foundation also accepts trailing commas, and invalid numbers that are not decoded.
struct StrictJSON {
    private let bytes: [UInt8]
    private var position = 0

    static func isValid(_ bytes: [UInt8]) -> Bool {
        var text = Self(bytes: bytes)
        return text.value(depth: 0) && text.next() == nil
    }

    /// The next byte that is not white space, without passing over it.
    private mutating func next() -> UInt8? {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
        return position < bytes.count ? bytes[position] : nil
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard next() == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) -> Bool {
        guard depth < 64, let first = next() else { return false }
        switch first {
        case 0x7B: return list(until: 0x7D) { $0.next() == 0x22 && $0.string() && $0.skip(0x3A) && $0.value(depth: depth + 1) }
        case 0x5B: return list(until: 0x5D) { $0.value(depth: depth + 1) }
        case 0x22: return string()
        default: return word()
        }
    }

    private mutating func list(until end: UInt8, _ element: (inout Self) -> Bool) -> Bool {
        position += 1
        if skip(end) { return true }
        repeat { guard element(&self) else { return false } } while skip(0x2C)
        return skip(end)
    }

    private mutating func string() -> Bool {
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            if byte < 0x20 { return false }
            position += byte == 0x5C ? 2 : 1
            if byte == 0x22 { return true }
        }
        return false
    }

    /// Parses a number, or one of the three literal names.
    private mutating func word() -> Bool {
        let start = position
        while position < bytes.count, ![0x20, 0x09, 0x0A, 0x0D, 0x2C, 0x5D, 0x7D].contains(bytes[position]) { position += 1 }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        return ["true", "false", "null"].contains(word)
            || word.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil
    }
}
