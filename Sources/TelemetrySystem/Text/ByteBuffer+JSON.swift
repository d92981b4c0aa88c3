package import TelemetryModels

/// JSON output.
extension ByteBuffer {
    /// The text as a JSON string, escaped.
    package func append(quoted text: String) { text.withBytes { append(quoted: $0) } }

    /// The UTF-8 text as a JSON string, escaped.
    package func append(quoted text: UnsafeBufferPointer<UInt8>) {
        append(UInt8(ascii: "\""))
        appendEscaped(text)
        append(UInt8(ascii: "\""))
    }

    private func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        guard var index = text.firstSpecial(from: 0) else { return append(text) }
        var start = 0
        while true {
            append(UnsafeBufferPointer(rebasing: text[start..<index]))
            appendEscape(of: text[index])
            start = index + 1
            guard let next = text.firstSpecial(from: start) else { break }
            index = next
        }
        append(UnsafeBufferPointer(rebasing: text[start...]))
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

    /// The value in the form of `TelemetryValue`'s coding. Returns false for a date that cannot be written.
    package func append(_ value: TelemetryValue) -> Bool {
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
            if isPlain { append(number.description) } else { append(quoted: TelemetryValue.text(of: number)) }
            append(UInt8(ascii: "}"))
        case .date(let date):
            guard let text = TimestampFormat.string(from: date) else { return false }
            append(literal: "{\"date\":\"")
            append(text)
            append(literal: "\"}")
        }
        return true
    }

    /// Appends a value in the relay's form: a double without a fraction with ".0" or an exponent, which distinguishes it from an
    /// integer. Returns false for a date outside the years 1 to 9999.
    package func append(wire value: TelemetryValue) -> Bool {
        guard case .double(let number) = value, number.isFinite else { return append(value) }
        append(number.description)
        return true
    }

    /// Appends fields or attributes in the relay's form. Returns the name of one whose date cannot be written; nil if there is none.
    package func append(wire values: [String: TelemetryValue]) -> String? {
        append(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in values {
            if isFirst { isFirst = false } else { append(UInt8(ascii: ",")) }
            append(quoted: name)
            append(UInt8(ascii: ":"))
            guard append(wire: value) else { return name }
        }
        append(UInt8(ascii: "}"))
        return nil
    }
}
