#if DEBUG || TELEMETRY_RELAY
/// Any value that JSON can hold, as the payload of a debug entry carries it, through the relay too, which shares this file.
///
/// Numbers are equal by value, whatever case holds them: JSON has one kind of number, so that `1` and `1.0` read back as
/// each other. Integers up to `UInt64.max` and every finite `Double` read back exactly, a zero with its sign.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction or exponent, in the range of 64 bits.
    case int(Int64)
    /// An integer; the one to choose above `Int64.max`.
    case unsigned(UInt64)
    /// A number that is not finite has no place in JSON and is written as `"NaN"`, `"Infinity"` or `"-Infinity"`.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object; the order of its keys is not kept.
    case object([String: JSONValue])
}

extension JSONValue: Hashable {
    public static func == (lhs: JSONValue, rhs: JSONValue) -> Bool {
        switch (lhs.canonical, rhs.canonical) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        // Two that are not a number are the same value: a value has to equal itself.
        case (.double(let left), .double(let right)): left == right || (left.isNaN && right.isNaN)
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch canonical {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
        case .string(let value): hasher.combine(value)
        case .array(let values): hasher.combine(values)
        case .object(let members): hasher.combine(members)
        }
    }

    /// The same value in the first case that holds it exactly: `int`, `unsigned`, `double`.
    var canonical: JSONValue {
        switch self {
        case .unsigned(let value):
            return Int64(exactly: value).map(JSONValue.int) ?? self
        case .double(let value):
            return Int64(exactly: value).map(JSONValue.int) ?? UInt64(exactly: value).map(JSONValue.unsigned) ?? self
        default: return self
        }
    }
}
#endif
