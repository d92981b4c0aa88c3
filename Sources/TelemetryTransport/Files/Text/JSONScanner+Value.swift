import TelemetryModels

extension JSONScanner {
    /// A value in the form of `TelemetryValue`'s coding.
    mutating func value() -> TelemetryValue? {
        guard let next = peek() else { return nil }
        switch next {
        case UInt8(ascii: "\""): return string().map(TelemetryValue.string)
        case UInt8(ascii: "t"): return consume(literal: "true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return consume(literal: "false") ? .bool(false) : nil
        case UInt8(ascii: "{"): return taggedValue()
        default: return rawNumber().flatMap(Self.number)
        }
    }

    private mutating func taggedValue() -> TelemetryValue? {
        var value: TelemetryValue?
        let isObject = readObject { key, scanner in
            if key.isIdentical(to: "date") {
                value = scanner.rawString().flatMap { TimestampFormat.date(from: $0.bytes) }.map(TelemetryValue.date)
            } else if key.isIdentical(to: "double") {
                if scanner.peek() == UInt8(ascii: "\"") {
                    value = scanner.string().flatMap(Double.init).map(TelemetryValue.double)
                } else {
                    value = scanner.rawNumber().flatMap(Self.double).map(TelemetryValue.double)
                }
            }
            return value != nil
        }
        return isObject ? value : nil
    }

    private static func number(_ text: UnsafeBufferPointer<UInt8>) -> TelemetryValue? {
        var scanner = JSONScanner(text)
        let isNegative = scanner.consume(UInt8(ascii: "-"))
        if let magnitude = scanner.unsigned(), scanner.isAtEnd() {
            if let number = Int64(exactly: magnitude) { return .int(isNegative ? -number : number) }
            if isNegative, magnitude == Int64.min.magnitude { return .int(.min) }
        }
        return double(text).map(TelemetryValue.double)
    }

    private static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        Double(String(decoding: text, as: UTF8.self))
    }
}
