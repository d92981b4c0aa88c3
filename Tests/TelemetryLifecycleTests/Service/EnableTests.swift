import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct EnableTests {
    @Test("An opt-in creates the client's record and waits for its approval")
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

    @Test("An opt-in with an approved record turns sending on")
    func foundEnabled() async throws {
        let host = try await TestHost(server: true)
        await host.service.enableTelemetry()
        #expect(host.service.status == .enabled)
        #expect(host.service.settings == TelemetryFixtures.approvedSettings)
        #expect(await host.logger.isEnabled == true)
        #expect(await host.logger.clientIdentifier == TestHost.clientId)
    }

    @Test("A record that is created concurrently is used as it is")
    func conflict() async throws {
        let host = try await TestHost(server: true)
        let lagging = host.transport
        // The first query misses the record, as a lagging index does.
        lagging.hold(.saveRecords)
        try await lagging.store.deleteTelemetryClient(recordID: .client(TestHost.clientId))
        async let settings = host.service.enableTelemetry()
        await lagging.held(.saveRecords)
        try await lagging.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        lagging.release(.saveRecords)
        #expect(await settings.telemetrySendingEnabled)
        #expect(host.service.status == .enabled)
    }

    @Test("A client's record with another record identifier is found")
    func otherIdentity() async throws {
        let host = try await TestHost()
        let other = TelemetryClientRecord(
            recordID: "made-by-hand", clientId: TestHost.clientId, created: TelemetryFixtures.date, isEnabled: true)
        try await host.transport.store.createTelemetryClient(other)
        await host.service.enableTelemetry()
        #expect(host.service.status == .enabled)
        #expect(host.transport.savedRecords.map(\.recordID) == ["made-by-hand"], "no second record is created")
    }

    @Test("The transport gets the identifier of the client whose calls it makes, even during a former client's deletion")
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

    @Test("An existing identifier is kept; an opt-in after an opt-out has a new one")
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
        "An invalid identifier is reported, and nothing is stored", arguments: ["", String(repeating: "x", count: 1_025)])
    func badIdentifier(identifier: String) async throws {
        let host = try await TestHost(identifiers: [identifier])
        await host.service.enableTelemetry()
        #expect(host.service.status.errorMessage != nil)
        #expect(await host.settingsStore.load() == .defaults)
        #expect(host.transport.calls.isEmpty)
    }

    @Test("An opt-in while offline is stored and reported; the next reconciliation creates the record")
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

    @Test("A pending registration is remembered across a restart, with any settings store", arguments: Keeping.allCases)
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
        // A record that is missing from now on was deleted.
        try await host.transport.store.deleteTelemetryClient(recordID: .client(TestHost.clientId))
        #expect(await host.reconciles(to: .missingClient, orAlready: .allDisabled))
    }

    @Test("A lost answer to the record's creation has no effect")
    func lostAnswer() async throws {
        let host = try await TestHost()
        host.transport.fail(.saveRecords, .afterEffect)
        await host.service.enableTelemetry()
        #expect(await host.service.reconcile() == .pendingApproval)
        #expect(try await host.transport.store.fetchTelemetryClients().count == 1)
    }

    @Test("A failed subscription does not fail the opt-in")
    func failingSubscription() async throws {
        let subscriptions = MockSubscriptionManager()
        await subscriptions.failRegistration(with: MockTelemetryTransport.unavailable)
        let host = try await TestHost(subscriptions: subscriptions)
        await host.service.enableTelemetry()
        #expect(host.service.status == .pendingApproval)
        #expect(subscriptions.calls == [.register(clientId: TestHost.clientId)])
        #expect(!host.told.all.isEmpty)
    }

    @Test("A second opt-in while sending is on changes nothing")
    func again() async throws {
        let host = try await TestHost.approved()
        let calls = host.logger.calls
        await host.service.enableTelemetry()
        #expect(host.service.status == .enabled)
        #expect(host.logger.calls == calls)
    }

    @Test("A second opt-in after the viewer withdrew its approval waits for a new one")
    func withdrawn() async throws {
        let host = try await TestHost.approved()
        try await host.setServer(enabled: false)
        await host.service.enableTelemetry()
        #expect(host.service.status == .pendingApproval)
        #expect(host.service.settings == TelemetrySettings(telemetryRequested: true, clientIdentifier: TestHost.clientId))
        #expect(await host.logger.isEnabled == false)
    }
}
