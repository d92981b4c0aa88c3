import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Enables, disables or resets one scenario of one client.
struct ScenarioChange {
    /// A change that the client has executed.
    struct Executed {
        fileprivate let transport: any TelemetryTransporting
        fileprivate let previous: TelemetryScenarioRecord

        /// The conditions on the context under which the scenario was enabled before.
        var previousConditions: [TelemetryRuleCondition] { previous.isEnabled ? previous.contextConditions : [] }

        /// The enabled scenario's record; nil if it cannot be read, or does not show the change yet.
        func enabledScenario() async -> TelemetryScenarioRecord? {
            let scenarios = try? await transport.fetchScenarios(forClient: previous.clientId)
            guard let current = scenarios?.first(where: { $0.scenarioName == previous.scenarioName }), current.isEnabled else {
                return nil
            }
            // A new lease has another end.
            return current.expires != nil && current.expires == previous.expires ? nil : current
        }
    }

    let client: String
    let scenario: String
    let action: TelemetrySchema.CommandAction

    /// - Returns: The executed change; nil if the command does not wait.
    @discardableResult
    func send(
        in store: StoreOptions, _ waiting: WaitOptions, _ console: Console, level: TelemetryLogLevel? = nil,
        lease: TimeInterval? = nil, expires: Date? = nil, context: [TelemetryRuleCondition] = []
    ) async throws -> Executed? {
        let transport = try store.open(console)
        let resolver = try store.resolver(over: transport)
        let client = try await resolver.client(client)
        let scenario = try await resolver.scenario(scenario, of: client)
        let command = TelemetryCommandRecord(
            clientId: client.clientId, action: action, scenarioName: scenario.scenarioName, level: level, lease: lease,
            expires: expires, contextConditions: context)
        let isDone = try await waiting.send(
            command, over: transport, to: console,
            done: "\(scenario.scenarioName.visible) is \(effect) on client \(client.clientId.visible)\(context.phrase).")
        return isDone ? Executed(transport: transport, previous: scenario) : nil
    }

    private var effect: String {
        switch action {
        case .enableScenario: "enabled"
        case .resetScenario: "reset"
        default: "disabled"
        }
    }
}
