import TelemetryModels
import ViewerKit

/// Enables or disables one scenario of one client.
struct ScenarioSwitch {
    let client: String
    let scenario: String
    let isOn: Bool

    func send(in store: StoreOptions, _ waiting: WaitOptions, _ console: Console) async throws {
        let transport = try store.open(console)
        let resolver = ClientResolver(transport: transport)
        let client = try await resolver.client(client)
        let scenario = try await resolver.scenario(scenario, of: client)
        let command = TelemetryCommandRecord(
            clientId: client.clientId, action: isOn ? .enableScenario : .disableScenario, scenarioName: scenario.scenarioName)
        try await waiting.send(
            command, over: transport, to: console,
            done: "\(scenario.scenarioName.visible) is \(isOn ? "enabled" : "disabled") on client \(client.clientId.visible).")
    }
}
