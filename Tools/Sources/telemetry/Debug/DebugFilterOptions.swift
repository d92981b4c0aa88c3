import ArgumentParser
import Foundation
@_spi(Tooling) import TelemetryModels
import ViewerKit

/// The options that filter and format debug entries.
struct DebugFilterOptions: ParsableArguments {
    @Option(help: "Only entries from this source: ios, backend, web, macos, linux or cli.")
    var source: String?

    @Option(help: "Only entries of this level: debug, info, warn or error.")
    var level: String?

    @Option(help: "Only entries with this name.")
    var event: String?

    @Option(help: "Only entries with this correlation identifier.")
    var correlation: String?

    @Option(help: "Only entries of this session.")
    var session: String?

    @Option(help: "Only entries of this device.")
    var device: String?

    @Option(help: "Only entries since this date: 10m, 2026-11-21, \"2026-11-21 14:03\".")
    var since: String?

    @Option(help: "Only entries before this date.")
    var until: String?

    @Option(name: [.customLong("grep"), .customLong("text")], help: "Only entries with this text in the name or the payload.")
    var text: String?

    @OptionGroup var output: ListOutputOptions

    @Flag(help: "The same as --format json.")
    var json = false

    func validate() throws {
        _ = try date(since, "--since")
        _ = try date(until, "--until")
    }

    /// The query for the relay, which validates the other values.
    func items() throws -> [URLQueryItem] {
        let values = [
            ("source", source), ("level", level), ("event", event), ("correlation_id", correlation), ("session_id", session),
            ("device_id", device), ("since", try date(since, "--since")), ("until", try date(until, "--until")), ("text", text),
        ]
        return values.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
    }

    func listing(of relay: DebugLogOptions, _ console: Console) throws -> DebugListing {
        DebugListing(
            client: try relay.client(), items: try items(), asJSON: json || output.format == .json, console: console)
    }

    /// The date in the form of the relay's parameters.
    private func date(_ text: String?, _ option: String) throws -> String? {
        try text.map { TimestampText.string(nearest: try SelectionOptions.date($0, option)) }
    }
}
