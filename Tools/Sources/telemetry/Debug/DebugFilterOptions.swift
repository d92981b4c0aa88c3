import ArgumentParser
import Foundation
import ViewerKit

/// Which debug entries are meant, and how they are shown.
struct DebugFilterOptions: ParsableArguments {
    @Option(help: "Only those from there: ios, backend, web, macos, linux or cli.")
    var source: String?

    @Option(help: "Only those of this level: debug, info, warn or error.")
    var level: String?

    @Option(help: "Only those of this name.")
    var event: String?

    @Option(help: "Only those of the operation with this correlation identifier.")
    var correlation: String?

    @Option(help: "Only those of this session.")
    var session: String?

    @Option(help: "Only those of this device.")
    var device: String?

    @Option(help: "Only those since then, in UTC: 2026-11-21T14:03:00Z.")
    var since: String?

    @Option(help: "Only those before then.")
    var until: String?

    @Option(help: "Only those with this text in the name or the payload.")
    var text: String?

    @Flag(help: "Each entry as a line of JSON.")
    var json = false

    /// What the relay is asked for; it judges the values itself.
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
