import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct ReconcileTests {
    private typealias Result = TelemetryLifecycleService.ReconciliationResult

    @Test("If settings and record are enabled, sending stays on")
    func bothEnabled() async throws {
        let host = try await TestHost(settings: TelemetryFixtures.approvedSettings, server: true)
        #expect(await host.service.reconcile() == .localAndServerEnabled)
        #expect(host.service.reconciliation == .localAndServerEnabled)
        #expect(host.service.status == .enabled)
        #expect(await host.logger.isEnabled == true)
    }

    @Test("An approval by the viewer turns sending on")
    func approved() async throws {
        let host = try await TestHost()
        await host.service.enableTelemetry()
        try await host.setServer(enabled: true)
        #expect(await host.reconciles(to: .serverEnabledLocalDisabled, orAlready: .localAndServerEnabled))
        #expect(host.service.status == .enabled)
        #expect(host.service.settings == TelemetryFixtures.approvedSettings)
        #expect(await host.settingsStore.load() == TelemetryFixtures.approvedSettings)
        #expect(await host.logger.isEnabled == true)
        #expect(host.service.clientRecord?.isEnabled == true)
    }

    @Test("A withdrawn approval disables telemetry")
    func withdrawn() async throws {
        let host = try await TestHost.approved()
        try await host.transport.store.append(TelemetryFixtures.events(1...3))
        try await host.setServer(enabled: false)
        #expect(await host.reconciles(to: .serverDisabledLocalEnabled, orAlready: .allDisabled))
        #expect(host.service.status == .disabled)
        #expect(await host.settingsStore.load() == .defaults)
        #expect(await host.logger.isEnabled == false)
        #expect(try await host.belongings(of: TestHost.clientId) == 0)
    }

    @Test("Without an approval the client keeps waiting")
    func neither() async throws {
        let host = try await TestHost()
        await host.service.enableTelemetry()
        #expect(await host.service.reconcile() == .pendingApproval)
        #expect(host.service.status == .pendingApproval)
    }

    @Test("If the client's record is missing, the settings are reset and nothing is sent", arguments: [true, false])
    func missing(sending: Bool) async throws {
        let settings = TelemetrySettings(
            telemetryRequested: true, telemetrySendingEnabled: sending, clientIdentifier: TestHost.clientId)
        let host = try await TestHost(settings: settings)
        #expect(await host.service.reconcile() == .missingClient)
        #expect(host.service.reconciliation == .missingClient)
        #expect(host.service.status == .disabled)
        #expect(host.service.settings == .defaults)
        #expect(await host.settingsStore.load() == .defaults)
        #expect(await host.logger.isEnabled == false)
        #expect(!host.service.isProcessingCommands)
        #expect(try await host.transport.store.fetchTelemetryClients().isEmpty)
    }

    @Test("If the client's record is missing, its subscriptions are removed, even an earlier run's", arguments: [false, true])
    func missingClientSubscriptions(restarts: Bool) async throws {
        let host = try await TestHost.approved()
        let store = host.transport.store
        let ids = ["TelemetryCommand-\(TestHost.clientId)", "TelemetryClient-\(TestHost.clientId)"]
        for id in ids { #expect(try await store.subscription(withID: id) != nil) }
        try await store.deleteTelemetryClient(recordID: .client(TestHost.clientId))
        if restarts { host.restart() }
        #expect(await host.reconciles(to: .missingClient, orAlready: .allDisabled))
        for id in ids { #expect(try await store.subscription(withID: id) == nil) }
    }

    @Test("Without consent no call is made")
    func notRequested() async throws {
        let host = try await TestHost()
        #expect(await host.service.reconcile() == .allDisabled)
        #expect(host.service.status == .disabled)
        #expect(host.transport.calls.isEmpty)
    }

    @Test("While offline the status has the error, and local state does not change", arguments: [true, false])
    func unreachable(sending: Bool) async throws {
        let settings = TelemetrySettings(
            telemetryRequested: true, telemetrySendingEnabled: sending, clientIdentifier: TestHost.clientId)
        let host = try await TestHost(settings: settings, server: !sending)
        host.transport.isOffline = true
        #expect(await host.service.reconcile() == nil)
        #expect(host.service.status.errorMessage != nil)
        #expect(host.service.settings == settings)
        #expect(await host.settingsStore.load() == settings)
        #expect(await host.logger.isEnabled == sending)
    }

    @Test("Pending commands are run, and scenario records are updated")
    func bringsInLine() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A", "B"])
        try await host.transport.store.deleteScenarios(forClient: TestHost.clientId)
        try await host.command(.enableScenario, scenario: "B")
        await host.service.reconcile()
        #expect(try await host.mirrored() == ["A": false, "B": true])
        #expect(try await host.status() == .executed)
    }

    @Test("Settings that another process stored take effect")
    func otherProcess() async throws {
        let host = try await TestHost.approved()
        await host.settingsStore.reset()
        #expect(await host.service.reconcile() == .allDisabled)
        #expect(host.service.settings == .defaults)
        #expect(await host.logger.isEnabled == false)
        #expect(!host.service.isProcessingCommands)
    }

    @Test("Requested settings without an identifier, as in a damaged store, get one")
    func withoutIdentifier() async throws {
        let host = try await TestHost(settings: TelemetrySettings(telemetryRequested: true))
        #expect(await host.service.reconcile() == .pendingApproval)
        #expect(try await host.client?.isEnabled == false)
    }

    @Test("The service reconciles periodically, at jittered intervals")
    func interval() async throws {
        let host = try await TestHost.approved(interval: .seconds(100))
        await host.clock.sleepers(atLeast: 1)
        #expect(host.clock.timeToNextWake == .seconds(100), "a random number of 0.5 is the middle of the jitter")
        host.transport.forgetCalls()
        host.clock.advance(by: .seconds(100))
        await host.transport.called(.record)
    }

    @Test("While the store is unreachable, the service retries sooner")
    func soonerInTrouble() async throws {
        let host = try await TestHost.approved(interval: .seconds(900))
        host.transport.isOffline = true
        await host.service.reconcile()
        await host.clock.sleepers(atLeast: 1)
        #expect(host.clock.timeToNextWake == .seconds(60))
        host.transport.isOffline = false
        host.transport.forgetCalls()
        host.clock.advance(by: .seconds(60))
        await host.transport.called(.record)
        await host.service.reconcile()
        #expect(host.service.status == .enabled)
        await host.clock.sleepers(atLeast: 1)
        #expect(host.clock.timeToNextWake == .seconds(900))
    }
}
