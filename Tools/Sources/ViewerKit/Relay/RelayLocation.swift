public import Foundation
public import TelemetryHTTP

/// The URL of a relay, and the token for it.
public struct RelayLocation: Sendable, Equatable {
    /// The relay's URL, without a slash at its end.
    public let url: URL
    /// Nil for a relay on this machine without tokens.
    public let token: AccessToken?

    public init(url: URL, token: AccessToken?) {
        self.url = url
        self.token = token
    }

    /// Parses a relay's URL. Returns a failure with the reason if the text is not a valid one.
    public static func parse(_ text: String) -> Result<URL, ToolFailure> {
        guard let components = URLComponents(string: text), ["http", "https"].contains(components.scheme?.lowercased()),
            let host = components.host, !host.isEmpty
        else {
            return .failure(
                ToolFailure(.data, "\"\(text.visible)\" is not a relay's URL. Example: https://relay.example.com."))
        }
        guard components.user == nil, components.password == nil else {
            return .failure(
                ToolFailure(
                    .data, "A relay's URL must not contain a user or password. Use --token-file FILE or \(Self.tokenVariable)."))
        }
        guard components.query == nil, components.fragment == nil else {
            return .failure(ToolFailure(.data, "A relay's URL must not contain a query or a fragment."))
        }
        var plain = components
        while plain.percentEncodedPath.hasSuffix("/") { plain.percentEncodedPath.removeLast() }
        guard let url = plain.url else {
            return .failure(ToolFailure(.data, "\"\(text.visible)\" is not a valid URL."))
        }
        return .success(url)
    }

    /// The environment variable with the relay's token, used if no token file is given.
    public static let tokenVariable = "LIVE_TELEMETRY_TOKEN"

    /// Whether the URL's host is this machine.
    public var isLoopback: Bool {
        let host = url.host()?.lowercased() ?? ""
        if ["localhost", "::1", "[::1]"].contains(host) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return parts.count == 4 && parts[0] == 127 && !parts.contains(nil)
    }

    /// Whether a token would be sent over a network without encryption.
    public var exposesToken: Bool { token != nil && url.scheme?.lowercased() == "http" && !isLoopback }

    /// A transport with a viewer's credentials. It makes no request before its first call.
    public func viewer(_ configuration: HTTPTelemetryTransport.Configuration) -> HTTPTelemetryTransport {
        HTTPTelemetryTransport(url: url, credentials: .viewer(token: token?.value), configuration: configuration)
    }

    /// A transport with a host's credentials.
    /// - Parameter secretDirectory: The directory with the secret of this installation.
    public func host(
        secretDirectory: URL, _ configuration: HTTPTelemetryTransport.Configuration
    ) -> HTTPTelemetryTransport {
        HTTPTelemetryTransport(
            url: url,
            credentials: .host(token: token?.value, secrets: FileTelemetrySecretStore(directory: secretDirectory)),
            configuration: configuration)
    }
}
