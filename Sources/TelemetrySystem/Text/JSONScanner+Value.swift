package import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONScanner {
    /// A value in the form of `TelemetryValue`'s coding; nil for a value that the coding rejects.
    package mutating func value() -> TelemetryValue? {
        guard let next = peek() else { return nil }
        switch next {
        case UInt8(ascii: "\""): return string().map(TelemetryValue.string)
        case UInt8(ascii: "t"): return consume(literal: "true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return consume(literal: "false") ? .bool(false) : nil
        case UInt8(ascii: "{"): return taggedValue()
        default: return rawNumber().flatMap(Self.number)
        }
    }

    /// The value of the member `date` or else `double`. Unknown members and duplicates of known ones are skipped.
    private mutating func taggedValue() -> TelemetryValue? {
        var date: Date?
        var double: Double?
        var hasDouble = false
        let isObject = readObject { key, scanner in
            if date == nil, Self.isKey(key, "date") {
                date = scanner.rawString().flatMap { raw in
                    raw.hasEscapes
                        ? Self.text(ofRaw: raw.bytes).flatMap { TimestampFormat.date(from: $0) }
                        : TimestampFormat.date(from: raw.bytes)
                }
                return date != nil
            } else if !hasDouble, Self.isKey(key, "double") {
                hasDouble = true
                return scanner.taggedDouble(into: &double)
            }
            return Self.isText(key) && scanner.skipValue()
        }
        guard isObject else { return nil }
        return date.map(TelemetryValue.date) ?? double.map(TelemetryValue.double)
    }

    /// Sets nil for a value that is not a number, which matters only without a `date` member.
    private mutating func taggedDouble(into number: inout Double?) -> Bool {
        switch peek() {
        case UInt8(ascii: "\""):
            guard let text = string() else { return false }
            number = TelemetryValue.number(from: text)
            return true
        case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            guard let text = rawNumber() else { return false }
            let double = Self.double(text)
            // Codable rejects a nonzero number that is too small for a double.
            number = double == 0 && !Self.isZero(text) ? nil : double
            return true
        default:
            number = nil
            return skipValue()
        }
    }

    /// The value of a JSON number; nil if it is too large for a double.
    package static func number(_ text: UnsafeBufferPointer<UInt8>) -> TelemetryValue? {
        var scanner = JSONScanner(text)
        let isNegative = scanner.consume(UInt8(ascii: "-"))
        if let magnitude = scanner.unsigned(), scanner.isAtEnd(), let number = signed(magnitude, isNegative) {
            return .int(number)
        }
        guard let number = double(text) else { return nil }
        // Below 2^53 a Double represents every integer and keeps a fraction.
        if abs(number) < 0x1p53 { return Int64(exactly: number).map(TelemetryValue.int) ?? .double(number) }
        return wholeNumber(text).map(TelemetryValue.int) ?? .double(number)
    }

    private static func signed(_ magnitude: UInt64, _ isNegative: Bool) -> Int64? {
        guard isNegative else { return Int64(exactly: magnitude) }
        return magnitude <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
    }

    /// The integer value of a number with a fraction or an exponent, computed without rounding; nil if it is not an integer.
    private static func wholeNumber(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        var scanner = JSONScanner(text)
        let isNegative = scanner.consume(UInt8(ascii: "-"))
        var magnitude: UInt128 = 0
        // The power of ten to multiply the digits by.
        var tens = 0
        var isFraction = false
        while let byte = scanner.peek(), byte | 0x20 != UInt8(ascii: "e") {
            _ = scanner.skip(1)
            if byte == UInt8(ascii: ".") {
                isFraction = true
                continue
            }
            if isFraction { tens -= 1 }
            guard magnitude < UInt128.max / 10 - 1 else { return nil }
            magnitude = magnitude * 10 + UInt128(byte &- UInt8(ascii: "0"))
        }
        if scanner.peek() != nil {
            _ = scanner.skip(1)
            let isDivided = scanner.consume(UInt8(ascii: "-"))
            if !isDivided { _ = scanner.consume(UInt8(ascii: "+")) }
            guard let exponent = scanner.unsigned(), exponent < 1_000 else { return nil }
            tens += isDivided ? -Int(exponent) : Int(exponent)
        }
        while tens < 0, magnitude.isMultiple(of: 10) { (magnitude, tens) = (magnitude / 10, tens + 1) }
        guard tens >= 0 else { return nil }
        while tens > 0, magnitude <= UInt64.max { (magnitude, tens) = (magnitude * 10, tens - 1) }
        return UInt64(exactly: magnitude).flatMap { signed($0, isNegative) }
    }

    /// Nil for a number that is too large.
    private static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        Double(String(decoding: text, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    private static func isZero(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.prefix { $0 | 0x20 != UInt8(ascii: "e") }.allSatisfy { !(UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
    }

    private static func isKey(_ key: UnsafeBufferPointer<UInt8>, _ name: StaticString) -> Bool {
        if key.isIdentical(to: name) { return true }
        guard key.contains(UInt8(ascii: "\\")) else { return false }
        return text(ofRaw: key) == name.description
    }
}
