/// Any value that JSON can represent (RFC 8259), for the debug log, the viewer and the relay; not part of the public interface.
///
/// Numbers are equal by value, whichever case holds them: JSON has one number type, so `1` and `1.0` are the same value.
/// Integers up to `UInt64.max` and every finite `Double` are decoded exactly, including the sign of zero.
@_spi(Tooling)
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction or exponent that fits into 64 bits.
    case int(Int64)
    /// An integer; for values above `Int64.max`.
    case unsigned(UInt64)
    /// A number; JSON has no representation of a number that is not finite, which is encoded as `"NaN"`, `"Infinity"` or
    /// `"-Infinity"`.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object; the order of its keys is not preserved.
    case object([String: JSONValue])
}

@_spi(Tooling)
extension JSONValue: Hashable {
    public static func == (lhs: JSONValue, rhs: JSONValue) -> Bool {
        switch (lhs.canonical, rhs.canonical) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        // Equality is reflexive, for NaN too.
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

    /// The same number in the first of `int`, `unsigned` and `double` that represents it exactly.
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
