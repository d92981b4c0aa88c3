#if DEBUG
public import Foundation
import TelemetryModels

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Of a key that stands there twice, the last value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSONValue {
    /// A date as text, ISO 8601 in UTC with milliseconds, or with nanoseconds where it is no whole number of milliseconds.
    ///
    /// A date outside the years 1 to 9999 becomes the nearest one inside.
    public static func date(_ date: Date) -> JSONValue { .string(DebugLogEntry.text(of: date)) }

    /// The date that ``date(_:)`` wrote; nil for anything else.
    public var dateValue: Date? {
        guard case .string(let text) = self else { return nil }
        return TimestampFormat.date(from: text)
    }
}
#endif
