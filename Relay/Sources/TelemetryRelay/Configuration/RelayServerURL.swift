/// The address of a PostgreSQL database, which may contain a password.
public struct RelayServerURL: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private static let schemes = ["postgresql://", "postgres://"]

    /// The complete text. Do not print it; use ``description``.
    public let text: String

    /// - Returns: nil for a text that is not such an address, such as a path.
    public init?(_ text: String) {
        guard Self.schemes.contains(where: text.hasPrefix) else { return nil }
        self.text = text
    }

    /// The address without its password and its parameters. Ends with `…` if parts of a password may be elsewhere than libpq
    /// expects them.
    public var description: String {
        var rest = Self.schemes.reduce(text) { $0.hasPrefix($1) ? String($0.dropFirst($1.count)) : $0 }[...]
        // As in libpq, the user and the password end at the first @, unless a / precedes it.
        var user = Substring()
        if let end = rest.firstIndex(where: { $0 == "@" || $0 == "/" }), rest[end] == "@" {
            user = rest[...end].prefix { $0 != ":" && $0 != "@" } + "@"
            rest = rest[rest.index(after: end)...]
        }
        let server = rest.prefix { $0 != "?" }
        guard !rest.contains("@"), !server.contains("#"), Self.hasPlainPorts(server.prefix { $0 != "/" }) else {
            if user.isEmpty { user = rest.prefix { !":@/?#".contains($0) } + "@" }
            return "postgresql://\(user)…"
        }
        return "postgresql://\(user)\(server)"
    }

    /// Whether each host has no port or a number.
    private static func hasPlainPorts(_ hosts: Substring) -> Bool {
        hosts.split(separator: ",").allSatisfy { host in
            let end = host.hasPrefix("[") ? host.firstIndex(of: "]") ?? host.startIndex : host.startIndex
            let port = host[end...].drop { $0 != ":" }.dropFirst()
            return port.allSatisfy { $0.isASCII && $0.isNumber }
        }
    }

    public var debugDescription: String { description }

    /// Shows only the description, so that dumping a configuration does not print the password.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
