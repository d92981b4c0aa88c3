public import Foundation

/// The operations of the `token` command.
public struct RelayTokens: Sendable {
    private let storage: any RelayTokenStorage
    private let now: @Sendable () -> Date

    public init(storage: any RelayTokenStorage, now: @escaping @Sendable () -> Date = { Date() }) {
        self.storage = storage
        self.now = now
    }

    /// Creates a token.
    /// - Returns: its text, which is not stored.
    /// - Parameter scope: what a viewer's or reader's token is limited to.
    /// - Throws: ``RelayConfigurationError`` if the name is in use, empty, too long or not printable, or if the scope is one of another role
    ///   or has a pattern that is empty or too long.
    public func create(
        role: RelayRole, name: String, lifetime: TokenLifetime? = nil, scope: RelayScope? = nil
    ) async throws -> String {
        if let scope { try Self.check(scope, of: role) }
        try GivenName.check(name, of: "a token")
        var generator = SystemRandomNumberGenerator()
        let text = TokenText.make(using: &generator)
        let created = now()
        let expires = lifetime.map { created.addingTimeInterval($0.seconds) }
        do {
            try await storage.create(
                RelayToken(name: name, role: role, scope: scope, created: created, expires: expires),
                hash: TokenText.hash(of: text))
        } catch RelayStorageError.nameInUse {
            throw RelayConfigurationError("the name \(name) is or was in use; choose another")
        }
        return text
    }

    private static func check(_ scope: RelayScope, of role: RelayRole) throws {
        guard [.viewer, .reader].contains(role) else {
            throw RelayConfigurationError("only a viewer's or a reader's token can be limited to apps, scenarios or clients")
        }
        let patterns = scope.lists.flatMap(\.patterns)
        guard patterns.count <= 100, patterns.allSatisfy({ (1...200).contains($0.text.utf8.count) }) else {
            throw RelayConfigurationError("a token has at most 100 patterns, each of 1 to 200 bytes")
        }
    }

    /// A line for each token: name, role, expiry, last use and scope, in columns.
    public func list() async throws -> [String] {
        let rows = try await storage.all().map { token in
            [
                token.name, token.role.rawValue, expiry(of: token), "used \(token.lastUsed.map(Self.text) ?? "never")",
                token.scope?.text ?? "",
            ]
        }
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
                .trimmingCharacters(in: .whitespaces)
        }
    }

    /// - Throws: ``RelayConfigurationError`` if there is no token with that name.
    public func revoke(_ name: String) async throws {
        guard try await storage.revoke(named: name, at: now()) else {
            throw RelayConfigurationError("no token is named \(name)")
        }
    }

    private func expiry(of token: RelayToken) -> String {
        if let revoked = token.revoked { return "revoked \(Self.text(revoked))" }
        guard let expires = token.expires else { return "does not expire" }
        return "\(token.isValid(at: now()) ? "expires" : "expired") \(Self.text(expires))"
    }

    private static func text(_ date: Date) -> String {
        Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)).formatted(.iso8601)
    }
}

/// How long a token is valid, parsed from a text such as `90d`.
public struct TokenLifetime: Sendable, Equatable {
    public let seconds: TimeInterval

    /// Parses a positive whole number followed by `s`, `m`, `h` or `d`. Returns nil for any other text, and for more than a
    /// hundred years.
    public init?(_ text: String) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), text.dropLast().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text.dropLast()), number > 0, number <= 36_525 * 86_400 / unit
        else { return nil }
        seconds = TimeInterval(number * unit)
    }
}
