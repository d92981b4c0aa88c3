public import Foundation

/// What the relay listens on, whom it lets in, how much it takes and where it keeps it.
public struct RelayConfiguration: Sendable, Equatable {
    /// The port that the library's debug logger looks for by itself.
    public static let defaultPort = 8377

    public var host = "127.0.0.1"
    /// 0 lets the system choose one.
    public var port = defaultPort
    /// A file that the port is written to once requests are answered.
    public var portFile: String?
    /// A viewer's token beside those of the store, hashed.
    public var token: BearerToken?
    /// Certificate and key, both in PEM; nil answers without TLS.
    public var tls: RelayTLSFiles?
    /// Whether a proxy stands in front, which has TLS and says in `X-Forwarded-For` who asks.
    public var isBehindProxy = false
    /// The database's file; nil keeps everything in memory only.
    public var database: URL? = Self.defaultDatabase
    /// The largest body of debug logs, in bytes, before and after decompression.
    public var bodyLimit = 1 << 20
    /// The largest number of debug entries in one batch.
    public var batchLimit = 1000
    /// How much one request about telemetry may hold or ask for.
    public var limits = RelayLimits()
    /// How often one source may ask.
    public var rates = RelayRates()
    /// How many debug entries are kept.
    public var retention = DebugLogRetention()
    /// How many events are kept.
    public var eventRetention = RelayEventRetention()

    public init() {}

    /// `relay.sqlite` in the user's state directory (`XDG_STATE_HOME`, or `~/.local/state`).
    public static var defaultDatabase: URL {
        let state =
            ProcessInfo.processInfo.environment["XDG_STATE_HOME"].map { URL(filePath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/state")
        return state.appending(path: "telemetry-relay/relay.sqlite")
    }

    /// Whether only this machine reaches the address.
    public var isLocal: Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }

    /// The address as a URL's beginning.
    public func address(port: Int) -> String {
        "\(tls == nil ? "http" : "https")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

/// Where the certificate and the key lie.
public struct RelayTLSFiles: Sendable, Equatable {
    public var certificate: String
    public var key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// A configuration that cannot be.
public struct RelayConfigurationError: Error, CustomStringConvertible, Equatable {
    public let description: String

    public init(_ description: String) { self.description = description }
}
