import ArgumentParser
import Foundation
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

    @Option(help: "Only entries since this UTC date: 2026-11-21T14:03:00Z.")
    var since: String?

    @Option(help: "Only entries before this date.")
    var until: String?

    @Option(help: "Only entries with this text in the name or the payload.")
    var text: String?

    @Flag(help: "Print each entry as a line of JSON.")
    var json = false

    /// The query for the relay, which validates the values.
    var items: [URLQueryItem] {
        let values = [
            ("source", source), ("level", level), ("event", event), ("correlation_id", correlation), ("session_id", session),
            ("device_id", device), ("since", since), ("until", until), ("text", text),
        ]
        return values.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
    }

    func listing(of relay: RelayOptions, _ console: Console) throws -> DebugListing {
        DebugListing(client: try relay.client(), items: items, asJSON: json, console: console)
    }
}
