/// What is removed from events, or replaced by pseudonyms, before they are kept anywhere.
///
/// It applies to `property1` and to attributes, on the thread that logs the event, before ``TelemetryLogger/Configuration/process``.
/// What it removes reaches neither the flight recorder nor a file or transport. It does not apply to the names of events, attributes and
/// scenarios. Nobody remote can change it.
public struct TelemetryRedaction: Sendable, Hashable {
    /// How a value is treated.
    public enum Treatment: Sendable, Hashable {
        /// The value stays.
        case keep
        /// `<redacted>` replaces the value.
        case remove
        /// A pseudonym replaces the value: `#` and the first 12 hexadecimal digits of the HMAC-SHA256 (RFC 2104) of the value's text, under a
        /// secret of 32 random bytes.
        ///
        /// Equal values have equal pseudonyms until the logger discards its waiting events: when telemetry is turned off, a session ends with its events,
        /// or a viewer deletes the events. The secret is in the spool directory, where the first pseudonym reads it, perhaps of an event that is
        /// held; without a directory, each process has its own. Anyone who has the secret can find a value of few possible ones by trying them.
        case hash
    }

    /// A form of text that is recognized wherever it occurs in a string.
    public enum Pattern: Sendable, Hashable, CaseIterable {
        /// An email address (RFC 5322): letters, digits and `.+-_'`, an `@`, and a domain that has a dot. Letters are Latin, Greek, Cyrillic,
        /// Armenian or Hebrew, and those of the last label are all letters.
        case emailAddress
        /// A token of at least 8 characters after the word `Bearer` (RFC 6750).
        case bearerToken
        /// A JSON Web Token in its compact form (RFC 7519): three to five parts, of which the first has at least 10 characters and begins with
        /// `eyJ`.
        case jsonWebToken
        /// A payment card number (ISO/IEC 7812-1): 13 to 19 digits, as many as its first two digits permit, with a valid check digit, in one
        /// group, or in groups of at least 3 digits with a single space, hyphen or en dash between them. No Latin letter is adjacent to it.
        case creditCard
        /// An IPv4 address in dotted decimal form, or an IPv6 address (RFC 4291).
        case ipAddress
        /// User name and password in a URL, between `://` and `@` (RFC 3986).
        case urlCredentials
        /// Query and fragment of a URL (RFC 3986) that has a scheme, or of a path that begins with `/`.
        case urlQuery
    }

    /// The treatments of attributes by name. That of `user` applies to `user.name`, unless it has one of its own. Names are case-insensitive.
    public var attributes: [String: Treatment]
    /// The treatment of all other attributes.
    public var otherAttributes: Treatment
    /// The treatments of patterns in `property1` and in the strings of attributes that stay. Other parts of these strings stay.
    public var patterns: [Pattern: Treatment]
    /// By scenario, the names of the attributes that its events may have; others are left out. `user` permits `user.name`. A scenario that is not
    /// listed may have any attribute. The attributes' names are case-insensitive.
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

    /// Tokens, card numbers, and credentials and queries of URLs are removed; email addresses become pseudonyms.
    public static let standard = TelemetryRedaction(patterns: [
        .bearerToken: .remove, .jsonWebToken: .remove, .creditCard: .remove, .urlCredentials: .remove, .urlQuery: .remove,
        .emailAddress: .hash,
    ])
}

extension TelemetryRedaction {
    /// What replaces a value that is removed.
    @_spi(Tooling) public static let placeholder = "<redacted>"
}
