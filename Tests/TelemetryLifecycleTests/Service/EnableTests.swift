import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct EnableTests {
    @Test("Opting in makes the client known to the viewer and waits for its approval")
    func optsIn() async throws {
        let host = try await TestHost()
        await host.service.startup()
        let settings = await host.service.enableTelemetry()
        let expected = TelemetrySettings(telemetryRequested: true, clientIdentifier: TestHost.clientId)
        #expect(settings == expected)
        #expect(await host.settingsStore.load() == expected)
        #expect(!host.service.hasPendingWork)
        #expect(host.service.status == .pendingApproval)
        #expect(host.service.reconciliation == .pendingApproval)
        #expect(await host.logger.isEnabled == false)
        #expect(try await host.client?.isEnabled == false)
        #expect(host.service.clientRecord == (try await host.client))
    }

    @Test("A record that is enabled already turns sending on")
    func foundEnabled() async throws {
        let host = try await TestHost(server: true)
        await host.service.enableTelemetry()
        #expect(host.service.status == .enabled)
        #expect(host.service.settings == TelemetryFixtures.approvedSettings)
        #expect(await host.logger.isEnabled == true)
        #expect(await host.logger.clientIdentifier == TestHost.clientId)
    }

    @Test("A conflict at creation means that the record exists: it is taken as it is")
    func conflict() async throws {
        let host = try await TestHost(server: true)
        let lagging = host.transport
        // The first look misses the record, as an index that lags does.
        lagging.hold(.saveRecords)
        try await lagging.store.deleteTelemetryClient(recordID: .client(TestHost.clientId))
        async let settings = host.service.enableTelemetry()
        await lagging.held(.saveRecords)
        try await lagging.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        lagging.release(.saveRecords)
        #expect(await settings.telemetrySendingEnabled)
        #expect(host.service.status == .enabled)
    }

    @Test("A record under an identity that somebody else chose is found as well")
    func otherIdentity() async throws {
        let host = try await TestHost()
        let other = TelemetryClientRecord(
            recordID: "made-by-hand", clientId: TestHost.clientId, created: TelemetryFixtures.date, isEnabled: true)
        try await host.transport.store.createTelemetryClient(other)
        await host.service.enableTelemetry()
        #expect(host.service.status == .enabled)
        #expect(host.transport.calls(of: .saveRecords).isEmpty)
    }

    @Test("A transport that authenticates clients knows whose calls are made, also while a former client is deleted")
    func identityOfCalls() async throws {
        let host = try await TestHost(identifiers: ["firstclient", "secondclient"])
        await host.service.enableTelemetry()
        #expect(host.transport.clientIdentifiers == ["firstclient"])
        host.transport.isOffline = true
        await host.service.disableTelemetry()
        #expect(host.transport.clientIdentifiers.last == .some(nil))
        host.transport.isOffline = false
        await host.service.enableTelemetry()
        #expect(host.transport.clientIdentifiers.suffix(3).contains("firstclient"))
        #expect(host.transport.clientIdentifiers.last == "secondclient")
        #expect(try await host.transport.store.fetchTelemetryClients(clientId: "firstclient", isEnabled: nil).isEmpty)
    }

    @Test("The identifier is kept where there is one; after opting out a new one is made")
    func identifiers() async throws {
        let host = try await TestHost(identifiers: ["firstclient", "secondclient"])
        await host.service.enableTelemetry()
        await host.service.enableTelemetry()
        #expect(host.service.settings.clientIdentifier == "firstclient")
        await host.service.disableTelemetry()
        await host.service.enableTelemetry()
        #expect(host.service.settings.clientIdentifier == "secondclient")
    }

    @Test(
        "An identifier that no store takes is told, and nothing is stored", arguments: ["", String(repeating: "x", count: 1_025)])
    func badIdentifier(identifier: String) async throws {
        let host = try await TestHost(identifiers: [identifier])
        await host.service.enableTelemetry()
        #expect(host.service.status.errorMessage != nil)
        #expect(await host.settingsStore.load() == .defaults)
        #expect(host.transport.calls.isEmpty)
    }

    @Test("Out of reach: the wish is stored and the status tells; the next look makes the record")
    func unreachable() async throws {
        let host = try await TestHost()
        host.transport.isOffline = true
        let settings = await host.service.enableTelemetry()
        #expect(settings == TelemetrySettings(telemetryRequested: true, clientIdentifier: TestHost.clientId))
        #expect(host.service.status.errorMessage != nil)
        host.transport.isOffline = false
        #expect(await host.service.reconcile() == .pendingApproval)
        #expect(try await host.client?.isEnabled == false)
        #expect(host.service.status == .pendingApproval)
    }

    @Test("That the record was never made is remembered across a restart, by any store", arguments: Keeping.allCases)
    func unreachableAcrossRestart(keeping: Keeping) async throws {
        let host = try await TestHost(settingsStore: keeping.store)
        host.transport.isOffline = true
        await host.service.enableTelemetry()
        host.restart()
        await host.comeUp()
        #expect(host.service.status.errorMessage != nil)
        host.restart()
        host.transport.isOffline = false
        await host.comeUp()
        #expect(host.service.status == .pendingApproval)
        #expect(try await host.client?.isEnabled == false)
        #expect(await host.scenarioStore.loadAllStates().isEmpty)
        // From here on, a record that is gone is gone.
        try await host.transport.store.deleteTelemetryClient(recordID: .client(TestHost.clientId))
        #expect(await host.service.reconcile() == .missingClient)
    }

    @Test("An answer that is lost after the record was made does no harm")
    func lostAnswer() async throws {
        let host = try await TestHost()
        host.transport.fail(.saveRecords, .afterEffect)
        await host.service.enableTelemetry()
        #expect(await host.service.reconcile() == .pendingApproval)
        #expect(try await host.transport.store.fetchTelemetryClients().count == 1)
    }

    @Test("A failing subscription does not fail it")
    func failingSubscription() async throws {
        let subscriptions = MockSubscriptionManager()
        await subscriptions.failRegistration(with: MockTelemetryTransport.unavailable)
        let host = try await TestHost(subscriptions: subscriptions)
        await host.service.enableTelemetry()
        #expect(host.service.status == .pendingApproval)
        #expect(subscriptions.calls == [.register(clientId: TestHost.clientId)])
        #expect(!host.told.all.isEmpty)
    }

    @Test("Asking again while sending is on changes nothing, and nothing is recorded as off in between")
    func again() async throws {
        let host = try await TestHost.approved()
        let calls = host.logger.calls
        await host.service.enableTelemetry()
        #expect(host.service.status == .enabled)
        #expect(host.logger.calls == calls)
    }

    @Test("Asking again after the viewer withdrew its approval waits for it anew")
    func withdrawn() async throws {
        let host = try await TestHost.approved()
        try await host.setServer(enabled: false)
        await host.service.enableTelemetry()
        #expect(host.service.status == .pendingApproval)
        #expect(host.service.settings == TelemetrySettings(telemetryRequested: true, clientIdentifier: TestHost.clientId))
        #expect(await host.logger.isEnabled == false)
    }
}
