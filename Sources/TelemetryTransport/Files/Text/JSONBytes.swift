import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// JSON, appended to bytes that are used again and again.
extension [UInt8] {
    mutating func append(literal text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(decimal number: UInt64) {
        if number < 10 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number))
            return
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = number
            var first = 20
            while rest > 0 {
                first -= 1
                digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            append(contentsOf: digits[first...])
        }
    }

    mutating func append(decimal number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(decimal: number.magnitude)
    }

    /// The text in quotation marks, with what JSON does not allow in them escaped.
    mutating func append(quoted text: String) {
        append(UInt8(ascii: "\""))
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { appendEscaped($0) }
        if isDone == nil {
            var copy = text
            copy.withUTF8 { appendEscaped($0) }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for index in text.indices where text[index] < 0x20 || text[index] == 0x22 || text[index] == 0x5C {
            append(contentsOf: text[start..<index])
            appendEscape(of: text[index])
            start = index + 1
        }
        append(contentsOf: text[start...])
    }

    private mutating func appendEscape(of byte: UInt8) {
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

    private mutating func append(hexadecimal digit: UInt8) {
        append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }

    /// Eight hexadecimal digits.
    mutating func append(hexadecimal word: UInt32) {
        for shift in stride(from: 28, through: 0, by: -4) {
            append(hexadecimal: UInt8(truncatingIfNeeded: word >> UInt32(shift)) & 15)
        }
    }

    /// The value in the form of `TelemetryValue`'s coding. Appends nothing and returns false for a date that has none.
    mutating func append(_ value: TelemetryValue) -> Bool {
        switch value {
        case .string(let text): append(quoted: text)
        case .int(let number): append(decimal: number)
        case .bool(true): append(literal: "true")
        case .bool(false): append(literal: "false")
        case .double(let number) where number.isFinite && number != number.rounded():
            append(contentsOf: number.description.utf8)
        case .double(let number):
            let isPlain = number.isFinite && (number != 0 || number.sign == .plus)
            append(literal: "{\"double\":")
            if isPlain { append(contentsOf: number.description.utf8) } else { append(quoted: number.description) }
            append(UInt8(ascii: "}"))
        case .date(let date):
            let count = self.count
            append(literal: "{\"date\":\"")
            guard TimestampFormat.append(date, to: &self) else {
                removeLast(self.count - count)
                return false
            }
            append(literal: "\"}")
        }
        return true
    }
}
