import Foundation
import TelemetryHTTP
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The store of the demo's host and viewer.
struct DemoStore: Sendable {
    /// The directory's path or the relay's URL.
    let name: String
    /// The viewer's transport.
    let transport: any TelemetryTransporting
    /// The options with which the host opens the store.
    let hostArguments: [String]
    /// Nil for a directory.
    var relay: DemoRelay?

    /// A directory, which is created if it is missing.
    static func directory(_ directory: StoreDirectory, diagnostics: @escaping TelemetryDiagnosticsHandler) throws -> Self {
        Self(
            name: directory.url.path, transport: try directory.openOrCreate(diagnostics: diagnostics),
            hostArguments: ["--store", directory.url.path])
    }

    /// A relay that is started with tokens for the host and the viewer.
    static func relay(_ relay: DemoRelay, scratch: URL) async throws -> Self {
        let host = try await relay.tokenFile(role: "host", in: scratch)
        let viewer = try await relay.tokenFile(role: "viewer", in: scratch)
        try await relay.start()
        guard let url = await relay.url else { throw ToolFailure(.failed, "The relay has no address.") }
        let transport = HTTPTelemetryTransport(
            url: url, credentials: .viewer(token: viewer.value),
            configuration: .init(minimumReconnectDelay: .milliseconds(100), maximumReconnectDelay: .seconds(1)))
        return Self(
            name: url.absoluteString, transport: transport,
            hostArguments: ["--relay", url.absoluteString, "--token-file", host.source], relay: relay)
    }
}
