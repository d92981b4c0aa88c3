import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct ScenariosCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenarios", abstract: "List scenarios: whether they are enabled, for how long, and who decided.",
        discussion: "Example: telemetry scenarios k7wq --directory /srv/telemetry")

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: ListOutputOptions

    @Argument(help: "A client's identifier, an unambiguous prefix of it, or its alias.", completion: Completions.clients)
    var client: String?

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        var clientId: String?
        if let client { clientId = try await store.resolver(over: transport).identifier(client) }
        let scenarios = try await transport.fetchScenarios(forClient: clientId)
            .sorted { ($0.clientId, $0.scenarioName) < ($1.clientId, $1.scenarioName) }
        guard !scenarios.isEmpty else {
            console.note("No scenarios. A client registers its scenarios once it requests telemetry, even before it is approved.")
            return
        }
        try output.print(scenarios.map { JSONLine($0) }, table(of: scenarios, try store.aliases(), console.style), console)
    }

    private func table(of scenarios: [TelemetryScenarioRecord], _ aliases: ClientAliases, _ style: Style) -> Table {
        let isLimited = scenarios.contains { !$0.contextConditions.isEmpty }
        var table = Table(
            [
                .text("client", priority: 7), .text("scenario", priority: 9), .whole("state", priority: 8),
                .whole("level", priority: 5), .whole("time left", priority: 6), .text("decided by", priority: 4),
            ] + (isLimited ? [.text("only for", priority: 6)] : []))
        let now = Date.now
        for scenario in scenarios {
            table.add(
                [
                    .init(aliases.label(of: scenario.clientId)), .init(scenario.scenarioName, look: style.tinted),
                    scenario.isEnabled ? .init("enabled", look: style.green) : .init("disabled", look: style.dim),
                    .init(ScenarioText.level(scenario)), .init(ScenarioText.timeLeft(scenario, now: now)),
                    .init(ScenarioText.source(scenario)),
                ] + (isLimited ? [.init(ScenarioText.context(scenario))] : []))
        }
        return table
    }
}
