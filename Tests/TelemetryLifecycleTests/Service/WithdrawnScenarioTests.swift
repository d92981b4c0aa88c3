import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// After the end of consent no scenario is registered; persisted states are kept.
@MainActor
struct WithdrawnScenarioTests {
    /// The ways in which a client's consent ends.
    enum End: String, CaseIterable, Sendable {
        case user, viewer, withdrawnApproval, missingClient, otherProcess
    }

    @Test("After the end of consent there are no scenarios, and registering again restores their states", arguments: End.allCases)
    func ended(by end: End) async throws {
        let host = try await enabledHost()
        try await bringAbout(end, host)
        #expect(!host.service.settings.telemetryRequested)
        #expect(host.service.scenarioStates.isEmpty)
        #expect(await host.logger.scenarioStates.isEmpty)
        #expect(await host.scenarioStore.loadAllStates() == ["A": true, "Other": true])
        #expect(try await host.mirrored().isEmpty)
        try await host.service.registerScenarios(["A", "B"])
        #expect(host.service.scenarioStates == ["A": true, "B": false])
        #expect(await host.logger.scenarioStates == ["A": true, "B": false])
    }

    @Test("Scenarios that were registered before the end of consent are registered again at the opt-in", arguments: End.allCases)
    func optInAgain(after end: End) async throws {
        let host = try await enabledHost()
        try await bringAbout(end, host)
        await host.service.enableTelemetry()
        #expect(host.service.status == .pendingApproval)
        #expect(host.service.scenarioStates == ["A": true, "B": false])
        #expect(await host.logger.scenarioStates == ["A": true, "B": false])
        #expect(try await host.mirrored() == ["A": true, "B": false])
    }

    @Test("A registration after the end of consent replaces the one before it")
    func registeredMeanwhile() async throws {
        let host = try await enabledHost()
        await host.service.disableTelemetry()
        try await host.service.registerScenarios(["B"])
        await host.service.reconcile()
        #expect(host.service.scenarioStates == ["B": false], "states are set before an opt-in")
        await host.service.enableTelemetry()
        #expect(host.service.scenarioStates == ["B": false])
        #expect(try await host.mirrored() == ["B": false])
    }

    @Test("An ended session's scenarios are not restored at the next opt-in")
    func endedSession() async throws {
        let host = try await enabledHost()
        try await host.service.endSession()
        await host.service.disableTelemetry()
        await host.service.enableTelemetry()
        #expect(host.service.scenarioStates.isEmpty)
    }

    private func enabledHost() async throws -> TestHost {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A", "B"])
        try await host.service.setScenarioEnabled("A", enabled: true)
        try await host.service.setScenarioEnabled("Other", enabled: true)
        try #require(await host.logger.scenarioStates == ["A": true, "B": false, "Other": true])
        return host
    }

    private func bringAbout(_ end: End, _ host: TestHost) async throws {
        switch end {
        case .user:
            await host.service.disableTelemetry()
        case .viewer:
            try await host.command(.disable)
            await host.service.reconcile()
        case .withdrawnApproval:
            try await host.setServer(enabled: false)
            #expect(await host.reconciles(to: .serverDisabledLocalEnabled, orAlready: .allDisabled))
        case .missingClient:
            try await host.transport.store.deleteTelemetryClient(recordID: .client(TestHost.clientId))
            try await host.transport.store.deleteScenarios(forClient: TestHost.clientId)
            #expect(await host.reconciles(to: .missingClient, orAlready: .allDisabled))
        case .otherProcess:
            _ = await host.settingsStore.recordOptOut { $0 = .defaults }
            await host.service.reconcile()
        }
    }
}
