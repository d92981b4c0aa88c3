import Foundation
import Measure
import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

/// Many approved clients in one process, each a complete lifecycle service with its own records, and the rules that they share.
@MainActor
final class RuleFleet {
    static let scenario = "scenario"

    let clientIds: [String]
    /// The viewer's transport to the rules; counts its writes.
    let rules = RuleStore()
    private let services: [TelemetryLifecycleService]
    private let counter = GateCounter()
    private var rule = TelemetryRuleRecord(ruleId: "half", scenarioName: RuleFleet.scenario, percentage: 50)

    init(count: Int) async throws {
        clientIds = (0..<count).map { "client.\($0)" }
        var services: [TelemetryLifecycleService] = []
        for clientId in clientIds {
            let transport = RuleFollowingTransport(own: InMemoryTelemetryTransport(), rules: rules)
            try await transport.createTelemetryClient(clientId: clientId, isEnabled: true)
            let service = TelemetryLifecycleService(
                settingsStore: InMemoryTelemetrySettingsStore(), transport: transport,
                identifierGenerator: FleetIdentifier(clientId: clientId), configuration: .init(reconcileInterval: nil),
                logger: GateLogger(scenario: Self.scenario, counter: counter),
                scenarioStore: InMemoryTelemetryScenarioStore())
            await service.enableTelemetry()
            try await service.registerScenarios([Self.scenario])
            guard service.status == .enabled else { throw Miscount(description: "\(clientId) is not enabled") }
            services.append(service)
        }
        self.services = services
    }

    /// The number of clients to which the rule applies before it is raised.
    var half: Int { clientIds.count { TelemetryRuleRecord.position(ofClient: $0, inRule: rule.ruleId) < rule.percentage } }

    func add() async throws { rule = try await rules.createRule(rule) }

    func raise() async throws {
        rule.percentage = 100
        rule = try await rules.updateRule(rule)
    }

    func remove() async throws { try await rules.deleteRule(recordID: rule.recordID ?? "") }

    /// Writes, and waits until the loggers of exactly this number of clients record the scenario.
    /// - Returns: A row with the number of the viewer's writes and of the clients that changed, and the time from the write to the
    ///   last client's change.
    func follow(
        _ name: String, enabling count: Int, _ write: (RuleFleet) async throws -> Void
    ) async throws -> [String] {
        let (openBefore, writesBefore) = (counter.openGates, rules.writes)
        let start = now()
        try await write(self)
        await counter.reaches(count)
        let seconds = Double(now() - start) / 1e9
        // The services show a state once their loggers have it.
        let recording = counter.openGates
        guard recording == count else { throw Miscount(description: "\(recording) loggers record the scenario") }
        return [
            name, String(rules.writes - writesBefore), String(abs(count - openBefore)), String(format: "%.2f s", seconds),
        ]
    }

    func shutdown() async { for service in services { await service.shutdown() } }
}

private struct FleetIdentifier: TelemetryIdentifierGenerating {
    let clientId: String
    func generateIdentifier() -> String { clientId }
}
