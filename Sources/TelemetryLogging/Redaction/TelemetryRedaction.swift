/// What is removed from events, or replaced by pseudonyms, before they are kept anywhere.
///
/// It applies to `property1` and to attributes, on the thread that logs the event, before ``TelemetryLogger/Configuration/process``.
/// What it removes reaches neither the flight recorder nor a file or transport. It does not apply to the names of events, attributes and
/// scenarios. Nobody remote can change it.
public struct TelemetryRedaction: Sendable, Hashable {
    /// What becomes of a value.
    public enum Treatment: Sendable, Hashable {
        /// The value stays.
        case keep
        /// `<redacted>` replaces the value.
        case remove
        /// A pseudonym replaces the value: `#` and the first 12 hexadecimal digits of the HMAC-SHA256 (RFC 2104) of the value's text, under a
        /// secret of 32 random bytes.
        ///
        /// Equal values have equal pseudonyms until telemetry is turned off. The secret is in the spool directory; without one, each process has
        /// its own. Whoever has the secret can find a value of few possible ones by trying them.
        case hash
    }

    /// A form of text that is recognized wherever it occurs in a string.
    public enum Pattern: Sendable, Hashable, CaseIterable {
        /// An email address (RFC 5322): letters, digits and `.+-_'`, an `@`, and a domain that has a dot.
        case emailAddress
        /// At least 8 characters of a token after the word `Bearer` (RFC 6750).
        case bearerToken
        /// A JSON Web Token in its compact form (RFC 7519), of which the first part begins with `eyJ`.
        case jsonWebToken
        /// The number of a payment card: 13 to 19 digits of which the first is 2 to 6 and the last is a valid check digit (ISO/IEC 7812-1), in
        /// one group, or in groups of at least 3 digits with a single space or hyphen between them. Letters may not adjoin it.
        case creditCard
        /// An IPv4 address in dotted decimal form, or an IPv6 address (RFC 4291).
        case ipAddress
        /// User name and password in a URL, between `://` and `@` (RFC 3986).
        case urlCredentials
        /// Query and fragment of a URL (RFC 3986), which has a scheme or begins with `/`.
        case urlQuery
    }

    /// What becomes of attributes, by name. The case of names does not matter.
    public var attributes: [String: Treatment]
    /// What becomes of all other attributes.
    public var otherAttributes: Treatment
    /// What becomes of the parts of `property1`, and of strings of attributes that stay, that have a form. Other parts stay.
    public var patterns: [Pattern: Treatment]
    /// The names of the only attributes that events of a scenario may have; others are left out. A scenario that is not listed may have any.
    /// The case of attributes' names does not matter.
    public var allowed: [String: Set<String>]

    /// Creates a redaction; the parameters are the properties of the same names.
    public init(
        attributes: [String: Treatment] = [:], otherAttributes: Treatment = .keep, patterns: [Pattern: Treatment] = [:],
        allowed: [String: Set<String>] = [:]
    ) {
        self.attributes = attributes
        self.otherAttributes = otherAttributes
        self.patterns = patterns
        self.allowed = allowed
    }

    /// Everything stays.
    public static let none = TelemetryRedaction()

    /// Tokens, numbers of cards, and credentials and queries of URLs are removed; email addresses become pseudonyms.
    public static let standard = TelemetryRedaction(patterns: [
        .bearerToken: .remove, .jsonWebToken: .remove, .creditCard: .remove, .urlCredentials: .remove, .urlQuery: .remove,
        .emailAddress: .hash,
    ])
}

extension TelemetryRedaction {
    /// What replaces a value that is removed.
    @_spi(Tooling) public static let placeholder = "<redacted>"
}
