#if DEBUG
public import Foundation
@_spi(Tooling) import TelemetryModels

extension DebugLogEntry {
    /// A value of an entry's payload: anything that JSON can represent (RFC 8259). Literals make values.
    ///
    /// Numbers are equal by value, whichever case holds them: JSON has one number type, so `1` and `1.0` are the same value.
    /// Integers up to `UInt64.max` and every finite `Double` are decoded exactly, including the sign of zero.
    public enum Value: Sendable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number without a fraction or exponent that fits into 64 bits.
        case int(Int64)
        /// An integer; for values above `Int64.max`.
        case unsigned(UInt64)
        /// A number; one that is not finite is encoded as `"NaN"`, `"Infinity"` or `"-Infinity"`.
        case double(Double)
        /// A string.
        case string(String)
        /// An array.
        case array([Value])
        /// An object; the order of its keys is not preserved.
        case object([String: Value])
    }
}

extension DebugLogEntry.Value {
    var json: JSONValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .unsigned(let value): .unsigned(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .array(let values): .array(values.map(\.json))
        case .object(let members): .object(members.mapValues(\.json))
        }
    }

    init(_ json: JSONValue) {
        self =
            switch json {
            case .null: .null
            case .bool(let value): .bool(value)
            case .int(let value): .int(value)
            case .unsigned(let value): .unsigned(value)
            case .double(let value): .double(value)
            case .string(let value): .string(value)
            case .array(let values): .array(values.map(Self.init))
            case .object(let members): .object(members.mapValues(Self.init))
            }
    }
}

extension DebugLogEntry.Value: Hashable, Codable {
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.json == rhs.json }

    public func hash(into hasher: inout Hasher) { json.hash(into: &hasher) }

    /// - Throws: `DecodingError` if a number exceeds the range of `Double`.
    public init(from decoder: any Decoder) throws { self.init(try JSONValue(from: decoder)) }

    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

extension DebugLogEntry.Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: Self...) { self = .array(elements) }

    /// The last value of a repeated key is used.
    public init(dictionaryLiteral elements: (String, Self)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension DebugLogEntry.Value {
    /// A date as text: ISO 8601 in UTC with milliseconds, or with nanoseconds if it is not a whole number of milliseconds.
    ///
    /// A date outside the years 1 to 9999 becomes the nearest date in that range.
    public static func date(_ date: Date) -> Self { .string(DebugLogEntry.text(of: date)) }

    /// The date of a text that ``date(_:)`` made; nil for any other value.
    public var dateValue: Date? {
        guard case .string(let text) = self else { return nil }
        return TimestampFormat.date(from: text)
    }
}

extension DebugLogEntry.Value {
    /// In memory and as JSON.
    var approximateSize: Int {
        // A number has at most this size as JSON, and any value has it in memory.
        let own = 26
        switch self {
        case .null, .bool, .int, .unsigned, .double: return own
        case .string(let value): return own + value.utf8.count
        case .array(let values): return values.reduce(own) { $0 + $1.approximateSize }
        case .object(let members): return members.reduce(own) { $0 + 16 + $1.key.utf8.count + $1.value.approximateSize }
        }
    }
}
#endif
