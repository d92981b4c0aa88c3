#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One value of a record's field or of an event's attribute.
///
/// Values of different cases are never equal: `.int(1)` is neither `.double(1)` nor `.bool(true)`. Only ``boolValue`` and
/// ``intValue`` convert between a Boolean and its stored form 0 or 1.
public enum TelemetryValue: Sendable, Hashable {
    /// A string.
    case string(String)
    /// An integer.
    case int(Int64)
    /// A floating-point number, including NaN and the infinities.
    case double(Double)
    /// A Boolean.
    case bool(Bool)
    /// A date, to the nanosecond if the store keeps that precision.
    case date(Date)

    /// The string of a `.string`; otherwise nil.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The number of an `.int`, or 0 or 1 for a `.bool`; otherwise nil.
    public var intValue: Int64? {
        switch self {
        case .int(let value): value
        case .bool(let value): value ? 1 : 0
        default: nil
        }
    }

    /// The number of a `.double`; otherwise nil.
    public var doubleValue: Double? {
        if case .double(let value) = self { value } else { nil }
    }

    /// The Boolean of a `.bool`, or of an `.int` that is 0 or 1; otherwise nil.
    public var boolValue: Bool? {
        switch self {
        case .bool(let value): value
        case .int(0): false
        case .int(1): true
        default: nil
        }
    }

    /// The date of a `.date`; otherwise nil.
    public var dateValue: Date? {
        if case .date(let value) = self { value } else { nil }
    }

    /// Whether a stored value fulfils a query's condition: equal, or a Boolean and its stored form 0 or 1.
    package func fulfils(_ condition: TelemetryValue) -> Bool {
        if self == condition { return true }
        switch (self, condition) {
        case (.int, .bool), (.bool, .int): return intValue == condition.intValue
        default: return false
        }
    }
}

extension TelemetryValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension TelemetryValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension TelemetryValue: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension TelemetryValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}
