public import Foundation

/// The relay's address, access, limits and storage.
public struct RelayConfiguration: Sendable, Equatable {
    /// The port to which the library's debug logger connects by default.
    public static let defaultPort = 8377

    public var host = "127.0.0.1"
    /// 0 lets the system choose one.
    public var port = defaultPort
    /// A file to which the port is written once the relay accepts requests.
    public var portFile: String?
    /// A token with the role viewer, in addition to those in the store; kept as its hash.
    public var token: BearerToken?
    /// An issuer whose ID tokens are accepted; nil for none.
    public var issuer: RelayIssuer?
    /// Certificate and key, both in PEM; nil disables TLS.
    public var tls: RelayTLSFiles?
    /// Whether the relay is behind a proxy that terminates TLS and sets `X-Forwarded-For`.
    public var isBehindProxy = false
    /// The database file; nil keeps everything in memory only.
    public var database: URL? = Self.defaultDatabase
    /// The PostgreSQL database, which is used instead of the file; nil uses the file.
    public var server: RelayServerURL?
    /// The maximum size of a debug log request body, in bytes, before and after decompression.
    public var bodyLimit = 1 << 20
    /// The maximum number of debug log entries in one batch.
    public var batchLimit = 1000
    /// Limits on one telemetry request.
    public var limits = RelayLimits()
    /// Rate limits.
    public var rates = RelayRates()
    /// The retention of debug log entries.
    public var retention = DebugLogRetention()
    /// The retention of events.
    public var eventRetention = RelayEventRetention()
    /// How long entries of the audit are kept, in seconds.
    public var auditAge = RelayStorageConfiguration().auditAge
    /// The address at which people open the page, for links in messages, without a slash at the end; nil if it is not known.
    public var publicURL: String?
    /// Whether messages to webhooks contain events.
    public var hasWebhookSamples = true

    public init() {}

    /// `relay.sqlite` in the user's state directory (`XDG_STATE_HOME`, or `~/.local/state`).
    public static var defaultDatabase: URL {
        let state =
            ProcessInfo.processInfo.environment["XDG_STATE_HOME"].map { URL(filePath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/state")
        return state.appending(path: "telemetry-relay/relay.sqlite")
    }

    /// Where data is stored, for people: a path or an address, without a password.
    public var databaseDescription: String { server?.description ?? database?.path ?? "in memory" }

    /// Whether the address is reachable from this machine only.
    public var isLocal: Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }

    /// The base URL.
    public func address(port: Int) -> String {
        "\(tls == nil ? "http" : "https")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

/// The paths of the certificate and the key.
public struct RelayTLSFiles: Sendable, Equatable {
    public var certificate: String
    public var key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// An invalid configuration, or one that cannot be applied.
public struct RelayConfigurationError: Error, CustomStringConvertible, Equatable {
    public let description: String

    public init(_ description: String) { self.description = description }
}
