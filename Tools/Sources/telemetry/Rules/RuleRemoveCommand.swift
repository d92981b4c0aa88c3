import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct RuleRemoveCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a rule; clients that follow it disable its scenario.",
        usage: "telemetry rule remove RULE [options]",
        discussion: "Example: telemetry rule remove 3F2A --directory /srv/telemetry")

    @OptionGroup var store: StoreOptions
    @OptionGroup var rule: RuleArgument

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let match = try await rule.find(in: transport)
        guard let id = match.recordID else { throw TelemetryRecordError.missingRecordID }
        try await transport.deleteRule(recordID: id)
        console.line(
            "\(console.style.green("✓")) Removed rule \(match.ruleId.visible) for \(match.scenarioName.visible).")
    }
}
