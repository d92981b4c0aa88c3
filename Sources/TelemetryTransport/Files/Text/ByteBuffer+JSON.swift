import TelemetryModels

/// JSON, written by hand.
extension ByteBuffer {
    /// The text in quotation marks, with what JSON does not allow in them escaped.
    func append(quoted text: String) {
        append(UInt8(ascii: "\""))
        text.withBytes { appendEscaped($0) }
        append(UInt8(ascii: "\""))
    }

    private func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        while let index = Self.firstEscape(in: text, from: start) {
            append(UnsafeBufferPointer(rebasing: text[start..<index]))
            appendEscape(of: text[index])
            start = index + 1
        }
        append(UnsafeBufferPointer(rebasing: text[start...]))
    }

    /// Eight bytes at a time: the high bit of a byte of `marks` is set where the byte needs an escape.
    private static func firstEscape(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let raw = UnsafeRawBufferPointer(text)
        var index = start
        while index + 8 <= raw.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            let controls = (word &- (ones &* 0x20)) & ~word
            let marks = (controls | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)) & highs
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < raw.count {
            let byte = raw[index]
            if byte < 0x20 || byte == 0x22 || byte == 0x5C { return index }
            index += 1
        }
        return nil
    }

    private func appendEscape(of byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: append(byte)
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0x09: append(UInt8(ascii: "t"))
        default:
            append(literal: "u00")
            append(hexadecimal: byte >> 4)
            append(hexadecimal: byte & 15)
        }
    }

    /// The value in the form of `TelemetryValue`'s coding. Returns false for a date that has none.
    func append(_ value: TelemetryValue) -> Bool {
        switch value {
        case .string(let text): append(quoted: text)
        case .int(let number): append(decimal: number)
        case .bool(true): append(literal: "true")
        case .bool(false): append(literal: "false")
        case .double(let number) where number.isFinite && number != number.rounded():
            append(number.description)
        case .double(let number):
            let isPlain = number.isFinite && (number != 0 || number.sign == .plus)
            append(literal: "{\"double\":")
            if isPlain { append(number.description) } else { append(quoted: number.description) }
            append(UInt8(ascii: "}"))
        case .date(let date):
            guard let text = TimestampFormat.string(from: date) else { return false }
            append(literal: "{\"date\":\"")
            append(text)
            append(literal: "\"}")
        }
        return true
    }
}
