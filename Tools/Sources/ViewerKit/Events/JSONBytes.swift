/// JSON for a terminal.
public enum JSONBytes {
    /// Escapes the characters of a JSON text that control a terminal, which does not change its meaning. They occur only in
    /// strings: outside of them, JSON is ASCII, and its only control characters are white space.
    public static func escapingControls(in json: some Sequence<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        Array(json).withUnsafeBytes { appendEscapingControls(in: $0, to: &bytes) }
        return bytes
    }

    static func appendEscapingControls(in json: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        let utf8 = json.bindMemory(to: UInt8.self)
        if utf8.reduce(0, |) < 0x80, !utf8.contains(0x7F) {
            bytes += utf8
        } else {
            appendEscapingControls(in: utf8, to: &bytes)
        }
    }

    private static func appendEscapingControls(in utf8: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        var start = 0
        var index = 0
        while index < utf8.count {
            // The first lead byte of a scalar that may be a control character.
            guard utf8[index] == 0x7F || utf8[index] >= 0xC2 else {
                index += 1
                continue
            }
            let scalar = utf8[index] == 0x7F ? "\u{7F}" : Self.scalar(utf8, at: index)
            let end = min(index + UTF8.width(scalar), utf8.count)
            if scalar.isTerminalControl {
                bytes += UnsafeBufferPointer(rebasing: utf8[start..<index])
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    bytes += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
                }
                start = end
            }
            index = end
        }
        bytes += UnsafeBufferPointer(rebasing: utf8[start...])
    }

    /// The scalar at a lead byte of valid UTF-8, or the replacement character for invalid UTF-8.
    private static func scalar(_ utf8: UnsafeBufferPointer<UInt8>, at index: Int) -> Unicode.Scalar {
        let lead = utf8[index]
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard index + length <= utf8.count else { return "\u{FFFD}" }
        var value = UInt32(lead) & (0x7F >> UInt32(length))
        for next in utf8[index + 1..<index + length] { value = value << 6 | UInt32(next & 0x3F) }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}
