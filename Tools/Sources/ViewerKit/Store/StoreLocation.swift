public import Foundation
@_spi(Tooling) import TelemetryHTTP
public import TelemetryModels
public import TelemetryTransport

/// The location of a store: a directory on this machine, or a relay.
public enum StoreLocation: Sendable {
    case directory(StoreDirectory)
    case relay(RelayLocation)

    /// The directory's path or the relay's URL, without credentials.
    public var name: String {
        switch self {
        case .directory(let directory): directory.url.path
        case .relay(let relay): relay.url.absoluteString
        }
    }

    /// The options that select this store, for suggested commands.
    public var options: String {
        switch self {
        case .directory(let directory): "-d \(directory.url.path.visible)"
        case .relay(let relay): "--relay \(relay.url.absoluteString.visible)"
        }
    }

    /// Identifies the store, regardless of the path by which it is opened.
    public var identity: String {
        switch self {
        case .directory(let directory): directory.url.resolvingSymlinksInPath().path
        case .relay(let relay): relay.url.absoluteString
        }
    }

    /// The relay, or nil for a directory.
    public var relay: RelayLocation? {
        if case .relay(let relay) = self { relay } else { nil }
    }

    /// Opens the store as a viewer. A directory must exist.
    public func open(diagnostics: TelemetryDiagnosticsHandler? = nil) throws -> any TelemetryTransporting {
        switch self {
        case .directory(let directory): try directory.open(diagnostics: diagnostics)
        case .relay(let relay): relay.viewer(Self.configuration(diagnostics))
        }
    }

    /// Opens the store as a viewer whose reads a relay's audit lists as exports. A directory must exist.
    public func openForExport(diagnostics: TelemetryDiagnosticsHandler? = nil) throws -> any TelemetryTransporting {
        guard case .relay(let relay) = self else { return try open(diagnostics: diagnostics) }
        var configuration = Self.configuration(diagnostics)
        configuration.purpose = "export"
        return relay.viewer(configuration)
    }

    /// Opens the store as a viewer, and creates a directory that is missing.
    public func openOrCreate(diagnostics: TelemetryDiagnosticsHandler? = nil) throws -> any TelemetryTransporting {
        switch self {
        case .directory(let directory): try directory.openOrCreate(diagnostics: diagnostics)
        case .relay(let relay): relay.viewer(Self.configuration(diagnostics))
        }
    }

    /// Opens the store as a client, and creates a directory that is missing.
    /// - Parameter secretDirectory: The directory with the secret that proves the client's identity to a relay.
    public func openAsHost(
        secretDirectory: URL, diagnostics: TelemetryDiagnosticsHandler? = nil
    ) throws -> any TelemetryTransporting {
        switch self {
        case .directory(let directory): try directory.openOrCreate(diagnostics: diagnostics)
        case .relay(let relay): relay.host(secretDirectory: secretDirectory, Self.configuration(diagnostics))
        }
    }

    /// Explains an error of this store.
    public func failure(describing error: any Error) async -> ToolFailure {
        switch self {
        case .directory: ToolFailure(describing: error)
        case .relay(let relay): await relay.failure(describing: error)
        }
    }

    private static func configuration(_ diagnostics: TelemetryDiagnosticsHandler?) -> HTTPTelemetryTransport.Configuration {
        .init(
            minimumReconnectDelay: .milliseconds(500), maximumReconnectDelay: .seconds(30), diagnostics: diagnostics)
    }
}
