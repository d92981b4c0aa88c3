import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct RuleChangeCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "change", abstract: "Change a rule's share of clients, level or duration.",
        usage: "telemetry rule change RULE [options]",
        discussion: """
            A larger share only adds clients; the others go on following the rule. --for counts from now.

            Example: telemetry rule change 3F2A --sample 100%
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var lease: LeaseOptions
    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var rule: RuleArgument

    @Option(help: "The share of the clients that the rule applies to, in percent.")
    var sample: String?

    func validate() throws {
        _ = try sample.map(SampleText.percentage)
        if sample == nil, !lease.isGiven { throw ValidationError("Give at least one of --sample, --level and --for.") }
    }

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        guard let id = try await rule.find(in: transport).recordID else { throw TelemetryRecordError.missingRecordID }
        let percentage = try sample.map(SampleText.percentage)
        let expires = try lease.seconds().map { Date.now + $0 }
        let changed = try await transport.updateRule(recordID: id) { rule in
            if let percentage { rule.percentage = percentage }
            if let level = lease.level?.level { rule.level = level }
            if let expires { rule.expires = expires }
            rule.issuer = issuer.name
        }
        console.line(
            "\(console.style.green("✓")) Changed rule \(changed.ruleId.visible) for \(changed.scenarioName.visible).")
    }
}
