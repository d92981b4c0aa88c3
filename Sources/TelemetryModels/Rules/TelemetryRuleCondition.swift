/// What a rule asks of one attribute of a client.
///
/// The stored form is `{"attribute": …, "comparison": …, "values": […]}`.
public struct TelemetryRuleCondition: Sendable, Hashable, Codable {
    /// How the client's attribute is compared with the condition's values. It is enough that one of the values matches.
    public enum Comparison: String, Sendable, Codable, CaseIterable {
        /// The attribute is the value.
        case equals
        /// The attribute is one of the values.
        case oneOf
        /// The attribute is none of the values, or the client lacks it.
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
    /// How it is compared.
    public var comparison: Comparison
    /// What it is compared with. Without values, `.notOneOf` matches every client and the others match none.
    public var values: [String]

    /// Creates a condition; the parameters are the properties of the same names.
    ///
    /// Versions are compared part by part between the dots: numbers as numbers, a missing part as 0, a number before a text.
    public init(_ attribute: String, _ comparison: Comparison, _ values: [String]) {
        self.attribute = attribute
        self.comparison = comparison
        self.values = values
    }

    /// Whether the condition holds for the value that a client has for the attribute; nil where the client lacks it.
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
