import ArgumentParser
import Foundation
import TelemetryModels
import ViewerKit

struct EnableCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Enable a scenario; without a scenario, approve the client.",
        usage: """
            telemetry enable CLIENT [SCENARIO] [options]
            telemetry enable --all | --where CONDITION ... [SCENARIO] [options]
            """,
        discussion: """
            With --all or --where the clients are named, and confirmed. This concerns only the clients that there are now; for \
            future ones add a rule.

            --context with a condition, such as user=4711, limits the scenario to some of what the app's code works on: one user, one \
            request. It may be repeated; --context with a name is the store's.

            Examples:
              telemetry enable k7wq FileRead --for 15m --directory /srv/telemetry
              telemetry enable k7wq FileRead --level info --for 2h --expires 1h
              telemetry enable web-1 Checkout --context user=4711 --for 10m
              telemetry enable --where 'appVersion>=2.1' FileRead --for 15m
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var lease: LeaseOptions
    @OptionGroup var group: ClientGroupOptions

    @Option(help: "When the command expires: 10m, 2026-11-21, \"2026-11-21 14:03\".")
    var expires: String?

    @Argument(
        help: "A client's identifier, an unambiguous prefix of it, or its alias; none with --all or --where.",
        completion: Completions.clients)
    var client: String?

    @Argument(help: "The name of one of the client's scenarios.", completion: Completions.scenarios)
    var scenario: String?

    var store: StoreOptions { options.withoutConditions }

    func validate() throws {
        try options.validateConditions()
        _ = try expiry()
        try group.rejectConfirmation()
        if try group.assign(client, scenario).rest == nil, lease.isGiven || !options.conditions.isEmpty || expires != nil {
            throw ValidationError("--level, --for, --context and --expires need a scenario.")
        }
    }

    func perform(_ console: Console) async throws {
        let target = try group.assign(client, scenario)
        guard let client = target.client else { return try await enableGroup(target.rest, console) }
        guard let scenario = target.rest else { return try await ApproveCommand.approve(client, in: store, waiting, console) }
        let change = ScenarioChange(client: client, scenario: scenario, action: .enableScenario)
        let executed = try await change.send(
            in: store, waiting, console, level: lease.level?.level, lease: try lease.seconds(), expires: try expiry(),
            context: options.conditions)
        if options.conditions.isEmpty, let limited = executed?.previousConditions, !limited.isEmpty {
            console.note("Before, it was enabled\(limited.phrase) only.")
        }
        guard lease.duration == nil else { return }
        guard let executed else { return noteMissingLimit(console) }
        guard let enabled = await executed.enabledScenario() else { return }
        // The app may limit the duration.
        if let end = enabled.expires {
            console.note("The app disables the scenario in \(ScenarioText.timeLeft(until: end, now: .now)).")
        } else {
            noteMissingLimit(console)
        }
    }

    private func enableGroup(_ scenario: String?, _ console: Console) async throws {
        var command = GroupCommand(action: scenario == nil ? .enable : .enableScenario, scenario: scenario)
        (command.level, command.lease, command.expires) = (lease.level?.level, try lease.seconds(), try expiry())
        command.context = options.conditions
        if scenario != nil, lease.duration == nil { noteMissingLimit(console) }
        try await command.send(to: group, in: store, waiting, console)
    }

    private func noteMissingLimit(_ console: Console) {
        console.note("Without --for the scenario stays enabled until it is disabled.")
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
