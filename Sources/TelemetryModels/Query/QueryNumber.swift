/// A number as queries compare it: integers exactly, with doubles too.
enum QueryNumber: Sendable {
    case int(Int64)
    /// A finite number.
    case double(Double)

    /// The number in the form `-?digits(.digits)?([eE][+-]?digits)?`; nil for another text, and for a number too large for a double.
    init?(_ text: String) {
        let bytes = text.utf8
        var index = bytes.startIndex
        func next() -> UInt8? { index < bytes.endIndex ? bytes[index] : nil }
        func skipDigits() -> Bool {
            let start = index
            while let byte = next(), byte &- UInt8(ascii: "0") < 10 { index = bytes.index(after: index) }
            return index > start
        }
        if next() == UInt8(ascii: "-") { index = bytes.index(after: index) }
        guard skipDigits() else { return nil }
        if index == bytes.endIndex, let int = Int64(text) {
            self = .int(int)
            return
        }
        if next() == UInt8(ascii: ".") {
            index = bytes.index(after: index)
            guard skipDigits() else { return nil }
        }
        if next() == UInt8(ascii: "e") || next() == UInt8(ascii: "E") {
            index = bytes.index(after: index)
            if next() == UInt8(ascii: "+") || next() == UInt8(ascii: "-") { index = bytes.index(after: index) }
            guard skipDigits() else { return nil }
        }
        guard index == bytes.endIndex, let double = Double(text), double.isFinite else { return nil }
        self = .double(double)
    }

    /// The order of numbers, in which equal ones are ordered too: an integer before a double, and -0.0 before 0.0.
    static func precedes(_ left: Self, _ right: Self) -> Bool {
        if left != right { return left < right }
        return switch (left, right) {
        case (.int, .double): true
        case (.double(let left), .double(let right)): left.sign == .minus && right.sign == .plus
        case (_, .int): false
        }
    }

    var double: Double {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        }
    }

    /// The digits of a whole number without its sign; nil for another number, and for one beyond 64 bits.
    var digits: String? {
        switch self {
        case .int(let value): String(value.magnitude)
        case .double(let value): Int64(exactly: value).map { String($0.magnitude) }
        }
    }

    var value: TelemetryValue {
        switch self {
        case .int(let value): .int(value)
        case .double(let value): .double(value)
        }
    }
}

extension QueryNumber: Comparable {
    static func == (left: Self, right: Self) -> Bool { !(left < right) && !(right < left) }

    static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.int(let left), .int(let right)): left < right
        case (.double(let left), .double(let right)): left < right
        case (.int(let left), .double(let right)): isLess(left, right)
        case (.double(let left), .int(let right)): isLess(left, right)
        }
    }

    private static func isLess(_ int: Int64, _ double: Double) -> Bool {
        guard double > -0x1p63 else { return false }
        guard double < 0x1p63 else { return true }
        let whole = Int64(double.rounded(.up))
        return int < whole
    }

    private static func isLess(_ double: Double, _ int: Int64) -> Bool {
        guard double >= -0x1p63 else { return true }
        guard double < 0x1p63 else { return false }
        return Int64(double.rounded(.down)) < int
    }
}

extension TelemetryValue {
    /// The value's text in queries: what JSON would show, without quotation marks.
    package var queryText: String {
        switch self {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): number.description
        case .bool(let flag): flag ? "true" : "false"
        case .date(let date): TimestampText.string(nearest: date)
        }
    }

    /// The value's number in queries: nil for a Boolean, a date, and a string that is not a decimal number as a whole.
    var queryNumber: QueryNumber? {
        switch self {
        case .string(let text): QueryNumber(text)
        case .int(let number): .int(number)
        case .double(let number): number.isFinite ? .double(number) : nil
        case .bool, .date: nil
        }
    }

    /// The value's number in queries as a double, to which it is rounded; nil if it has none.
    package var queryDouble: Double? { queryNumber?.double }

    /// The approximate size in memory, in bytes.
    var byteCount: Int {
        if case .string(let text) = self { MemoryLayout<Self>.stride + text.utf8.count } else { MemoryLayout<Self>.stride }
    }
}
