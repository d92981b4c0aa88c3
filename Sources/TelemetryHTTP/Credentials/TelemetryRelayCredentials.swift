import TelemetryTransport

/// The credentials with which a caller authenticates to a relay. Descriptions never contain the token.
public struct TelemetryRelayCredentials: Sendable {
    enum Role: Sendable {
        case viewer
        case host(any TelemetrySecretStoring)
    }

    let token: String?
    let role: Role

    private init(token: String?, role: Role) {
        // A token that was read from a file may end in a line feed.
        let trimmed = token.map { $0.drop(while: \.isWhitespace) }.map { text in
            String(text.reversed().drop(while: \.isWhitespace).reversed())
        }
        self.token = trimmed?.isEmpty == true ? nil : trimmed
        self.role = role
    }

    /// A viewer's or a reader's credentials.
    /// - Parameter token: The token printed by the relay's command; nil for a relay on this machine without tokens.
    public static func viewer(token: String?) -> Self { Self(token: token, role: .viewer) }

    /// A host's credentials, which give access only to the data of this host's own clients.
    ///
    /// Each request also contains the client's identifier and a key derived from it and from the installation's secret. The relay
    /// binds the key to the identifier at the first request, so that no other caller can use the identifier.
    /// - Parameters:
    ///   - token: A token of the role `host`. A token that ships inside an app is public and gives no access by itself. Nil for a
    ///     relay on this machine without tokens.
    ///   - secrets: The store of this installation's secret.
    public static func host(token: String?, secrets: any TelemetrySecretStoring) -> Self {
        Self(token: token, role: .host(secrets))
    }

    /// The authorization header; nil without a token.
    /// - Throws: `.invalidArgument` for a token with characters other than visible ASCII.
    func authorization() throws(TelemetryTransportError) -> String? {
        guard let token else { return nil }
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw TelemetryTransportError(
                code: .invalidArgument, message: "The relay's token holds characters other than visible ASCII.")
        }
        return "Bearer \(token)"
    }
}

extension TelemetryRelayCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let name =
            switch role {
            case .viewer: "viewer"
            case .host: "host"
            }
        return "\(name), \(token == nil ? "without a token" : "with a token")"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
