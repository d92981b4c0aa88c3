import ArgumentParser
import Foundation
import TelemetryModels
import ViewerKit

struct EnableCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Enable a scenario; without a scenario, approve the client.",
        usage: "telemetry enable CLIENT [SCENARIO] [options]",
        discussion: """
            Examples:
              telemetry enable k7wq FileRead --for 15m --directory /srv/telemetry
              telemetry enable k7wq FileRead --level info --for 2h --expires 1h
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var lease: LeaseOptions

    @Option(help: "When the command expires: 10m, 2026-11-21, \"2026-11-21 14:03\".")
    var expires: String?

    @Argument(help: "A client's identifier, an unambiguous prefix of it, or its alias.", completion: Completions.clients)
    var client: String

    @Argument(help: "The name of one of the client's scenarios.", completion: Completions.scenarios)
    var scenario: String?

    func validate() throws {
        _ = try expiry()
        if scenario == nil, lease.isGiven || expires != nil {
            throw ValidationError("--level, --for and --expires need a scenario.")
        }
    }

    func perform(_ console: Console) async throws {
        guard let scenario else { return try await ApproveCommand.approve(client, in: store, waiting, console) }
        let change = ScenarioChange(client: client, scenario: scenario, action: .enableScenario)
        try await change.send(
            in: store, waiting, console, level: lease.level?.level, lease: try lease.seconds(), expires: try expiry())
        if lease.duration == nil {
            console.note("Without --for the scenario stays enabled until it is disabled.")
        }
    }

    private func expiry() throws -> Date? {
        guard let expires else { return nil }
        // A duration starts now.
        if let seconds = DurationText.seconds(expires), Double(expires) == nil { return .now + seconds }
        guard let date = DateParser.date(expires, now: .now) else {
            throw ValidationError(
                "--expires \"\(expires)\" is not a valid date. Examples: 10m, 2h, 2026-11-21, \"2026-11-21 14:03\".")
        }
        return date
    }
}
