import ArgumentParser
import Foundation
import TelemetryHTTP
import TelemetryTransport

/// Where the server's events go.
struct DestinationOptions: ParsableArguments {
    @Option(name: [.long, .customLong("directory")], help: "The store's directory, shared by server and viewers.")
    var store: String?

    @Option(help: "The relay's URL, instead of a directory.", transform: Self.url)
    var relay: URL?

    @Option(name: .customLong("token-file"), help: "A file with the relay's token for hosts.")
    var tokenFile: String?

    @Option(name: .customLong("state"), help: "The directory for the server's settings and waiting events.")
    var stateDirectory = "shop-state"

    func validate() throws {
        guard (store == nil) != (relay == nil) else { throw ValidationError("Give --store DIRECTORY or --relay URL.") }
        guard tokenFile == nil || relay != nil else { throw ValidationError("--token-file requires --relay.") }
    }

    var state: URL { URL(fileURLWithPath: stateDirectory) }

    func transport() throws -> any TelemetryTransporting {
        guard let relay else { return try FileTelemetryTransport(directory: URL(fileURLWithPath: store ?? "")) }
        let token =
            try tokenFile.map { try String(contentsOfFile: $0, encoding: .utf8) }
            ?? ProcessInfo.processInfo.environment["LIVE_TELEMETRY_TOKEN"]
        return HTTPTelemetryTransport(
            url: relay, credentials: .host(token: token, secrets: FileTelemetrySecretStore(directory: state)))
    }

    @Sendable
    private static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()), url.host() != nil else {
            throw ValidationError("\"\(text)\" is not a relay's URL. Example: https://relay.example.com.")
        }
        return url
    }
}
