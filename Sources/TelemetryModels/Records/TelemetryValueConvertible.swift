#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A type whose values are stored as ``TelemetryValue``s: `String`, `Int`, `Int64`, `Double`, `Bool` and `Date`.
///
/// A record's fields can be read and written as these types:
///
///     record["name"] = name                      // name is a String
///     let name: String? = record["name"]
public protocol TelemetryValueConvertible: Sendable {
    /// The value in its stored form.
    var telemetryValue: TelemetryValue { get }
    /// Creates a value from its stored form; nil if that is of another type.
    init?(telemetryValue: TelemetryValue)
}

extension String: TelemetryValueConvertible {
    public var telemetryValue: TelemetryValue { .string(self) }
    public init?(telemetryValue: TelemetryValue) {
        guard let value = telemetryValue.stringValue else { return nil }
        self = value
    }
}

extension Int64: TelemetryValueConvertible {
    public var telemetryValue: TelemetryValue { .int(self) }
    /// The number, or 0 or 1 for a Boolean.
    public init?(telemetryValue: TelemetryValue) {
        guard let value = telemetryValue.intValue else { return nil }
        self = value
    }
}

extension Int: TelemetryValueConvertible {
    public var telemetryValue: TelemetryValue { .int(Int64(self)) }
    /// The number, or 0 or 1 for a Boolean; nil if it exceeds the range of `Int`, which has 32 bits on some platforms.
    public init?(telemetryValue: TelemetryValue) {
        guard let value = telemetryValue.intValue.flatMap(Int.init(exactly:)) else { return nil }
        self = value
    }
}

extension Double: TelemetryValueConvertible {
    public var telemetryValue: TelemetryValue { .double(self) }
    public init?(telemetryValue: TelemetryValue) {
        guard let value = telemetryValue.doubleValue else { return nil }
        self = value
    }
}

extension Bool: TelemetryValueConvertible {
    public var telemetryValue: TelemetryValue { .bool(self) }
    /// The Boolean, also from the numbers 0 and 1.
    public init?(telemetryValue: TelemetryValue) {
        guard let value = telemetryValue.boolValue else { return nil }
        self = value
    }
}

extension Date: TelemetryValueConvertible {
    public var telemetryValue: TelemetryValue { .date(self) }
    public init?(telemetryValue: TelemetryValue) {
        guard let value = telemetryValue.dateValue else { return nil }
        self = value
    }
}

extension TelemetryRecord {
    /// The field's value as the caller's type; nil if the field is missing or of another type. Setting nil removes the field.
    ///
    /// `record["x"] as? String` compiles too, but is always nil: without a type, the subscript returns a ``TelemetryValue``.
    @_disfavoredOverload
    public subscript<Value: TelemetryValueConvertible>(field: String) -> Value? {
        get { fields[field].flatMap(Value.init(telemetryValue:)) }
        set { self[field] = newValue?.telemetryValue as TelemetryValue? }
    }

    /// The string in a field; nil if it is missing or of another type.
    public func string(_ field: String) -> String? { fields[field]?.stringValue }

    /// The integer in a field, or 0 or 1 for a Boolean; nil if it is missing or of another type.
    public func int(_ field: String) -> Int64? { fields[field]?.intValue }

    /// The floating-point number in a field; nil if it is missing or of another type.
    public func double(_ field: String) -> Double? { fields[field]?.doubleValue }

    /// The Boolean in a field, also stored as 0 or 1; nil if it is missing or of another type.
    public func bool(_ field: String) -> Bool? { fields[field]?.boolValue }

    /// The date in a field; nil if it is missing or of another type.
    public func date(_ field: String) -> Date? { fields[field]?.dateValue }
}
