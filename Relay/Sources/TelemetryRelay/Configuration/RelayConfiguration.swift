public import Foundation

/// What the relay listens on, whom it lets in, how much it takes and where it keeps it.
public struct RelayConfiguration: Sendable, Equatable {
    /// The port that the library's debug logger looks for by itself.
    public static let defaultPort = 8377

    public var host = "127.0.0.1"
    /// 0 lets the system choose one.
    public var port = defaultPort
    /// The token that clients have to bear, hashed; nil lets everybody in who can reach the address.
    public var token: BearerToken?
    /// The database's file; nil keeps entries in memory only.
    public var database: URL? = Self.defaultDatabase
    /// The largest body taken, in bytes, before and after decompression.
    public var bodyLimit = 1 << 20
    /// The largest number of entries in one batch.
    public var batchLimit = 1000
    /// How much is kept.
    public var retention = DebugLogRetention()

    public init() {}

    /// `relay.sqlite` in the user's state directory (`XDG_STATE_HOME`, or `~/.local/state`).
    public static var defaultDatabase: URL {
        let state =
            ProcessInfo.processInfo.environment["XDG_STATE_HOME"].map { URL(filePath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/state")
        return state.appending(path: "telemetry-relay/relay.sqlite")
    }
}

/// What a person said about the configuration, by flag or by environment; a flag goes first, nil leaves the default.
public struct RelayOptions: Sendable, Equatable {
    public var host: String?
    public var port: Int?
    public var database: String?
    public var tokenFile: String?
    public var bodyLimit: Int?
    public var batchLimit: Int?
    public var capacity: Int?
    public var maximumBytes: Int?
    /// In hours.
    public var maximumAge: Int?
    public var allowRemote = false
    public var inMemory = false

    public init() {}

    /// The configuration that results.
    /// - Parameters:
    ///   - environment: `TELEMETRY_RELAY_HOST`, `_PORT`, `_DATABASE`, `_TOKEN`, `_TOKEN_FILE`, `_BODY_LIMIT`, `_BATCH_LIMIT`,
    ///     `_CAPACITY`, `_MAX_BYTES` and `_MAX_AGE`.
    ///   - readFile: reads a token's file.
    /// - Throws: ``RelayConfigurationError``.
    public func configuration(
        environment: [String: String], readFile: (String) throws -> String = { try String(contentsOfFile: $0, encoding: .utf8) }
    ) throws -> RelayConfiguration {
        var result = RelayConfiguration()
        func text(_ flag: String?, _ name: String) -> String? { flag ?? environment["TELEMETRY_RELAY_\(name)"] }
        func number(_ flag: Int?, _ name: String, _ range: ClosedRange<Int>, _ fallback: Int) throws -> Int {
            guard let text = flag.map(String.init) ?? environment["TELEMETRY_RELAY_\(name)"] else { return fallback }
            guard let value = Int(text), range.contains(value) else {
                throw RelayConfigurationError("\(name.lowercased()) has to be a number in \(range), and is \(text)")
            }
            return value
        }
        result.host = text(host, "HOST") ?? result.host
        result.port = try number(port, "PORT", 0...65535, result.port)
        result.bodyLimit = try number(bodyLimit, "BODY_LIMIT", 1...(1 << 30), result.bodyLimit)
        result.batchLimit = try number(batchLimit, "BATCH_LIMIT", 1...1_000_000, result.batchLimit)
        result.retention.entries = try number(capacity, "CAPACITY", 1...Int.max, result.retention.entries)
        result.retention.bytes = try number(maximumBytes, "MAX_BYTES", 1 << 20...Int.max, result.retention.bytes)
        let hours = try number(maximumAge, "MAX_AGE", 1...1_000_000, Int(result.retention.age / 3600))
        result.retention.age = TimeInterval(hours) * 3600
        if let path = text(database, "DATABASE") { result.database = URL(filePath: path) }
        if inMemory { result.database = nil }
        if let path = text(tokenFile, "TOKEN_FILE") {
            result.token = try BearerToken(written: try readFile(path))
        } else if let token = environment["TELEMETRY_RELAY_TOKEN"] {
            result.token = try BearerToken(written: token)
        }
        guard ["127.0.0.1", "::1", "localhost"].contains(result.host) || (allowRemote && result.token != nil) else {
            throw RelayConfigurationError(
                "\(result.host) can be reached from other machines: that needs --allow-remote, and a token")
        }
        return result
    }
}

/// A configuration that cannot be.
public struct RelayConfigurationError: Error, CustomStringConvertible, Equatable {
    public let description: String

    public init(_ description: String) { self.description = description }
}
