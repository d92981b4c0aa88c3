import Foundation
import TelemetryModels
import ViewerKit

/// Enables, disables or resets one scenario of one client.
struct ScenarioChange {
    let client: String
    let scenario: String
    let action: TelemetrySchema.CommandAction

    func send(
        in store: StoreOptions, _ waiting: WaitOptions, _ console: Console, level: TelemetryLogLevel? = nil,
        lease: TimeInterval? = nil, expires: Date? = nil
    ) async throws {
        let transport = try store.open(console)
        let resolver = try store.resolver(over: transport)
        let client = try await resolver.client(client)
        let scenario = try await resolver.scenario(scenario, of: client)
        let command = TelemetryCommandRecord(
            clientId: client.clientId, action: action, scenarioName: scenario.scenarioName, level: level, lease: lease,
            expires: expires)
        try await waiting.send(
            command, over: transport, to: console,
            done: "\(scenario.scenarioName.visible) is \(effect) on client \(client.clientId.visible).")
    }

    private var effect: String {
        switch action {
        case .enableScenario: "enabled"
        case .resetScenario: "reset"
        default: "disabled"
        }
    }
}
