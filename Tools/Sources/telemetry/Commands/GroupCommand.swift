import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Sends the same command to several clients, after their names were shown and confirmed.
struct GroupCommand {
    /// The number of clients that are named, so that the question stays visible.
    private static let maximumNames = 50

    let action: TelemetrySchema.CommandAction
    var scenario: String?
    var level: TelemetryLogLevel?
    var lease: TimeInterval?
    var expires: Date?
    var context: [TelemetryRuleCondition] = []

    /// - Returns: Whether all clients have executed the command; false if the command was not confirmed or does not wait.
    @discardableResult
    func send(
        to group: ClientGroupOptions, in store: StoreOptions, _ waiting: WaitOptions, _ console: Console
    ) async throws -> Bool {
        let transport = try store.open(console)
        let aliases = try store.aliases()
        let selected = try await group.selected(over: transport, aliases)
        let clients = try await concerned(selected, over: transport, aliases, console)
        guard !clients.isEmpty else {
            console.note("Nothing to do: none of \(counted(selected.count, "selected client")) \(precondition).")
            return false
        }
        for client in clients.prefix(Self.maximumNames) {
            console.line("  \(aliases.nameAndIdentifier(of: client.clientId).visible)")
        }
        if clients.count > Self.maximumNames { console.line("  … and \((clients.count - Self.maximumNames).grouped) more") }
        guard try group.confirm.allows(phrase(clients.count), console) else { return false }
        let commands = clients.map { client in
            TelemetryCommandRecord(
                clientId: client.clientId, action: action, scenarioName: scenario, level: level, lease: lease, expires: expires,
                contextConditions: context
            ).issued(by: waiting.issuer.name)
        }
        let results = try await CommandSender(transport: transport).send(commands, wait: try waiting.duration()) { answers in
            console.progress("… \(answers.grouped) of \(counted(commands.count, "client")) answered")
        }
        console.endProgress()
        return try GroupReport(
            results: results, phrase: done, aliases: aliases, waiting: waiting,
            sendingFailure: try await explained(results.sendingError, in: store),
            readingFailure: try await explained(results.readingError, in: store)
        ).show(console)
    }

    private func explained(_ error: (any Error)?, in store: StoreOptions) async throws -> ToolFailure? {
        guard let error else { return nil }
        return try await store.located().failure(describing: error)
    }

    /// The clients on which the command has an effect.
    private func concerned(
        _ clients: [TelemetryClientRecord], over transport: any TelemetryRecordTransport, _ aliases: ClientAliases,
        _ console: Console
    ) async throws -> [TelemetryClientRecord] {
        switch action {
        case .enable: return clients.filter { !$0.isEnabled }
        case .pause: return clients.filter { $0.isEnabled && !$0.isPaused }
        case .resume: return clients.filter(\.isPaused)
        default: break
        }
        guard let scenario else { return clients }
        let all = try await transport.fetchScenarios()
        let having = Set(all.filter { $0.scenarioName == scenario }.map(\.clientId))
        let (with, without) = (clients.filter { having.contains($0.clientId) }, clients.filter { !having.contains($0.clientId) })
        guard !with.isEmpty else {
            let known = Set(all.map(\.scenarioName))
            throw ToolFailure(
                .notFound,
                "None of \(counted(clients.count, "selected client")) has a scenario \"\(scenario.visible.fitted(to: 80))\"."
                    + (known.isEmpty ? "" : " Scenarios: \(known.nameList)."))
        }
        if !without.isEmpty {
            console.note(
                "Left out, because they have no scenario \"\(scenario.visible.fitted(to: 80))\": "
                    + "\(without.map { aliases.label(of: $0.clientId) }.nameList).")
        }
        return with
    }

    /// What the clients lack that the command would change.
    private var precondition: String {
        switch action {
        case .enable: "is pending approval"
        case .pause: "is approved and not paused"
        case .resume: "is paused"
        default: "is concerned"
        }
    }

    private func phrase(_ count: Int) -> String {
        let clients = counted(count, "client")
        let scenario = scenario?.visible ?? ""
        return switch action {
        case .enable: "approve \(clients)"
        case .disable: "end the telemetry of \(clients) and delete their records, scenarios and events"
        case .enableScenario: "enable \(scenario) on \(clients)\(context.phrase)"
        case .disableScenario: "disable \(scenario) on \(clients)"
        case .resetScenario: "reset \(scenario) on \(clients)"
        case .pause: "pause \(clients)"
        case .resume: "resume \(clients)"
        case .deleteEvents, .captureScenario: "send \(action.rawValue) to \(clients)"
        }
    }

    /// A sentence on the clients that have executed the command.
    private func done(_ count: Int) -> String {
        let (clients, verb) = (counted(count, "client"), count == 1 ? "is" : "are")
        let scenario = scenario?.visible ?? ""
        return switch action {
        case .enable: "\(clients) \(verb) approved."
        case .disable: "\(clients) stopped telemetry and deleted the data."
        case .enableScenario: "\(scenario) is enabled on \(clients)\(context.phrase)."
        case .disableScenario: "\(scenario) is disabled on \(clients)."
        case .resetScenario: "\(scenario) is reset on \(clients)."
        case .pause: "\(clients) \(verb) paused."
        case .resume: "\(clients) \(verb) resumed."
        case .deleteEvents, .captureScenario: "\(clients) executed \(action.rawValue)."
        }
    }
}
