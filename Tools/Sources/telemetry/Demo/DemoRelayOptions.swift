import ArgumentParser
import Foundation

/// Whether a demo's host and viewer communicate over a relay.
struct DemoRelayOptions: ParsableArguments {
    @Flag(help: "Communicate over a relay, which is killed and restarted, instead of a directory.")
    var relay = false

    @Option(
        name: .customLong("relay-executable"),
        help: """
            The program telemetry-relay. Default: \(RelayExecutable.variable), otherwise the one in the directory of this tool, \
            or the build of the package Relay.
            """,
        completion: .file())
    var relayExecutable: String?

    func validate() throws {
        if relayExecutable != nil, !relay { throw ValidationError("--relay-executable requires --relay.") }
    }

    /// Calls the body with a store at a relay, which is ended after it.
    func withStore<Result>(in scratch: URL, _ body: (DemoStore) async throws -> Result) async throws -> Result {
        let relay = DemoRelay(executable: try RelayExecutable.locate(relayExecutable), scratch: scratch)
        do {
            let result = try await body(try await DemoStore.relay(relay, scratch: scratch))
            await relay.end()
            return result
        } catch {
            await relay.end()
            throw error
        }
    }
}
