/// A condition on one attribute of a client, or on one value of a ``TelemetryContext``.
///
/// The stored form is `{"attribute": …, "comparison": …, "values": […]}`.
public struct TelemetryRuleCondition: Sendable, Hashable, Codable {
    /// How the client's attribute is compared with the condition's values. One matching value is enough.
    public enum Comparison: String, Sendable, Codable, CaseIterable {
        /// The attribute equals the value.
        case equals
        /// The attribute equals one of the values.
        case oneOf
        /// The attribute equals none of the values, or the client does not have it.
        case notOneOf
        /// The attribute begins with the value.
        case hasPrefix
        /// The attribute is the value's version or a later one.
        case atLeast
        /// The attribute is an earlier version than the value.
        case below
    }

    /// The attribute's name.
    public var attribute: String
    /// How the attribute is compared.
    public var comparison: Comparison
    /// The values that the attribute is compared with. Without values, `.notOneOf` matches every client and the others match
    /// none.
    public var values: [String]

    /// Creates a condition; the parameters are the properties of the same names.
    ///
    /// Versions are compared by their dot-separated parts: numbers numerically, a missing part as 0, a number before text.
    public init(_ attribute: String, _ comparison: Comparison, _ values: [String]) {
        self.attribute = attribute
        self.comparison = comparison
        self.values = values
    }

    /// Whether the condition holds for a client's value of the attribute; pass nil if the client does not have the attribute.
    public func holds(for value: String?) -> Bool {
        guard let value else { return comparison == .notOneOf }
        switch comparison {
        case .equals, .oneOf: return values.contains(value)
        case .notOneOf: return !values.contains(value)
        case .hasPrefix: return values.contains { value.hasPrefix($0) }
        case .atLeast, .below:
            let version = VersionText(value)
            return values.contains { (version < VersionText($0)) == (comparison == .below) }
        }
    }
}
