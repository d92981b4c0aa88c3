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

@MainActor
struct DisableTests {
    @Test("Opting out deletes everything of this client and nothing of 50 others")
    func optsOut() async throws {
        let host = try await TestHost.approved()
        for number in 1...50 { try await host.addNeighbour("neighbour\(number)") }
        try await host.service.registerScenarios(["Shared", "Own"])
        try await host.service.setScenarioEnabled("Own", enabled: true)
        try await host.transport.store.append(TelemetryFixtures.events(1...5))
        try await host.command(.enableScenario, scenario: "Shared")
        let settings = await host.service.disableTelemetry()
        #expect(settings == .defaults)
        #expect(!host.service.hasPendingWork)
        #expect(await host.settingsStore.load() == .defaults)
        #expect(host.service.status == .disabled)
        #expect(host.service.statusMessage == nil)
        #expect(host.service.reconciliation == .allDisabled)
        #expect(host.service.clientRecord == nil)
        #expect(!host.service.isProcessingCommands)
        #expect(await host.logger.isEnabled == false)
        #expect(await host.logger.clientIdentifier == nil)
        #expect(try await host.belongings(of: TestHost.clientId) == 0)
        #expect(try await host.transport.store.fetchCommandSubscription(for: TestHost.clientId) == nil)
        for number in 1...50 { #expect(try await host.belongings(of: "neighbour\(number)") == 4) }
        #expect(await host.scenarioStore.loadAllStates() == ["Own": true], "persisted states stay")
    }

    @Test("The reason is what the reconciliation says afterwards")
    func reason() async throws {
        let host = try await TestHost.approved()
        await host.service.disableTelemetry(reason: .missingClient)
        #expect(host.service.reconciliation == .missingClient)
    }

    @Test("The logger is off before its client's identifier goes: nothing is recorded that nobody could delete")
    func order() async throws {
        let host = try await TestHost.approved()
        await host.service.disableTelemetry()
        #expect(host.logger.calls.suffix(2) == [.setEnabled(false), .setClientIdentifier(nil)])
    }

    @Test("Opting out where nobody opted in calls nobody")
    func nothingToDo() async throws {
        let host = try await TestHost()
        await host.service.disableTelemetry()
        #expect(host.transport.calls.isEmpty)
        #expect(host.service.status == .disabled)
    }

    @Test(
        "Each step is tried even where another failed, the failure is told, and the rest is done at the next startup",
        arguments: [MockTelemetryTransport.Operation.deleteEvents, .deleteRecords, .records, .deleteSubscription],
        Keeping.allCases)
    func failingStep(operation: MockTelemetryTransport.Operation, keeping: Keeping) async throws {
        let host = try await TestHost.approved(settingsStore: keeping.store)
        for number in 1...3 { try await host.addNeighbour("neighbour\(number)") }
        try await host.service.registerScenarios(["A"])
        try await host.transport.store.append(TelemetryFixtures.events(1...3))
        host.transport.fail(operation, times: 1_000)
        let settings = await host.service.disableTelemetry()
        #expect(settings == .defaults)
        #expect(await host.settingsStore.load() == .defaults)
        #expect(await host.logger.isEnabled == false)
        #expect(host.service.status.errorMessage != nil)
        #expect(host.service.statusMessage == host.service.status.errorMessage)
        if operation != .deleteEvents {
            #expect(try await host.transport.store.countEvents(matching: .init(clientId: TestHost.clientId)) == 0)
        }
        if operation == .deleteEvents { #expect(try await host.client == nil) }

        host.transport.stopFailing(operation)
        host.restart()
        await host.comeUp()
        #expect(host.service.status == .disabled)
        #expect(try await host.belongings(of: TestHost.clientId) == 0)
        #expect(try await host.transport.store.fetchCommandSubscription(for: TestHost.clientId) == nil)
        for number in 1...3 { #expect(try await host.belongings(of: "neighbour\(number)") == 4) }
        #expect(await host.scenarioStore.loadAllStates().isEmpty)
        host.restart()
        host.transport.forgetCalls()
        await host.comeUp()
        #expect(host.transport.calls.isEmpty, "nothing is owed any more")
    }

    @Test("The next look settles it as well, and so does the service by itself")
    func settledByItself() async throws {
        let host = try await TestHost.approved(interval: .seconds(60))
        host.transport.isOffline = true
        await host.service.disableTelemetry()
        host.transport.isOffline = false
        await host.clock.sleepers(atLeast: 1)
        host.clock.advance(by: .seconds(60))
        await host.transport.called(until: { calls in calls.contains { $0.operation == .deleteEvents } })
        await host.service.reconcile()
        #expect(host.service.status == .disabled)
        #expect(try await host.belongings(of: TestHost.clientId) == 0)
        #expect(host.clock.sleeperCount == 0, "nothing goes on any more")
    }

    @Test("Opting in again with the same identifier begins anew, however the deletion went")
    func sameIdentifierAgain() async throws {
        let host = try await TestHost.approved()
        host.transport.isOffline = true
        await host.service.disableTelemetry()
        await host.service.enableTelemetry()
        #expect(host.service.status.errorMessage != nil)
        host.transport.isOffline = false
        #expect(await host.service.reconcile() == .pendingApproval)
        #expect(try await host.client?.isEnabled == false, "the approval went with the old record")
        host.restart()
        await host.comeUp()
        #expect(host.service.status == .pendingApproval)
        #expect(try await host.client != nil)
    }
}

/// Settings stores as a stranger might write them.
enum Keeping: String, CaseIterable, Sendable {
    case everything, onlyThreeFields

    var store: any TelemetrySettingsStoring {
        switch self {
        case .everything: InMemoryTelemetrySettingsStore()
        case .onlyThreeFields: ThreeFieldsStore()
        }
    }
}

/// Knows the fields of the documents and no others.
actor ThreeFieldsStore: TelemetrySettingsStoring {
    private var fields: (Bool, Bool, String?) = (false, false, nil)

    func load() async -> TelemetrySettings {
        TelemetrySettings(telemetryRequested: fields.0, telemetrySendingEnabled: fields.1, clientIdentifier: fields.2)
    }

    func save(_ settings: TelemetrySettings) async -> TelemetrySettings {
        fields = (settings.telemetryRequested, settings.telemetrySendingEnabled, settings.clientIdentifier)
        return await load()
    }

    func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        var settings = TelemetrySettings(
            telemetryRequested: fields.0, telemetrySendingEnabled: fields.1, clientIdentifier: fields.2)
        transform(&settings)
        return await save(settings)
    }

    func reset() async -> TelemetrySettings { await save(.defaults) }
}
