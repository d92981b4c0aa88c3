import Foundation
import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// The user's veto, and the host's policy.
@MainActor
struct VetoTests {
    @Test("A denied scenario is off whatever the decisions, and they apply again when it is allowed")
    func veto() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A", "B"])
        try await host.service.setScenarioEnabled("A", enabled: true)
        await host.service.setScenarioAllowed("A", allowed: false)
        #expect(host.service.deniedScenarios == ["A"])
        #expect(host.service.scenarioStates == ["A": false, "B": false])
        #expect(await host.logger.scenarioStates == ["A": false, "B": false])
        #expect(try await host.mirrored() == ["A": false, "B": false])
        await #expect(throws: TelemetryTransportError.self) { try await host.service.setScenarioEnabled("A", enabled: true) }
        await host.service.setScenarioAllowed("A", allowed: true)
        #expect(host.service.deniedScenarios.isEmpty)
        #expect(host.service.scenarioStates == ["A": true, "B": false])
        #expect(try await host.mirrored() == ["A": true, "B": false])
    }

    @Test("A viewer's command for a denied scenario is rejected with a message; turning it off is not")
    func viewer() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        await host.service.setScenarioAllowed("A", allowed: false)
        try await host.command(.enableScenario, id: "1", scenario: "A")
        await host.service.reconcile()
        #expect(try await host.status(of: "1") == .rejected)
        let message = try await host.transport.store.fetchCommand(recordID: .command("1"))?.errorMessage
        #expect(message?.hasSuffix(".") == true && message?.contains("\"A\"") == true)
        try await host.command(.disableScenario, id: "2", scenario: "A")
        await host.service.reconcile()
        #expect(try await host.status(of: "2") == .executed)
        await host.service.setScenarioAllowed("A", allowed: true)
        #expect(host.service.scenarioStates == ["A": false])
    }

    @Test("A veto holds across a restart and an opt-out, and before a registration")
    func persisted() async throws {
        let host = try await TestHost.approved()
        await host.service.setScenarioAllowed("A", allowed: false)
        await host.scenarioStore.saveState(for: "A", isEnabled: true)
        host.restart()
        await host.comeUp()
        #expect(host.service.deniedScenarios == ["A"])
        try await host.service.registerScenarios(["A"])
        #expect(host.service.scenarioStates == ["A": false])
        await host.service.disableTelemetry()
        #expect(host.service.deniedScenarios == ["A"] && host.service.scenarios.isEmpty)
        #expect(await host.scenarioStore.loadDeniedScenarios() == ["A"])
    }

    @Test("A command against the policy is rejected with a message, and the host can turn the scenario on itself")
    func policy() async throws {
        let host = try await TestHost.approved(policy: TelemetryPolicy(remoteScenarios: ["B"]))
        try await host.service.registerScenarios(["A", "B"])
        try await host.command(.enableScenario, id: "1", scenario: "A")
        try await host.command(.enableScenario, id: "2", scenario: "B")
        await host.service.reconcile()
        #expect(try await host.status(of: "1") == .rejected)
        #expect(try await host.status(of: "2") == .executed)
        #expect(host.service.scenarioStates == ["A": false, "B": true])
        try await host.service.setScenarioEnabled("A", enabled: true)
        #expect(host.service.scenarioStates == ["A": true, "B": true])
    }
}
