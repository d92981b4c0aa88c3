import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct DisableTests {
    @Test("Opting out deletes all data of this client and none of 50 others")
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
        #expect(await host.scenarioStore.loadAllStates() == ["Own": true], "persisted states are kept")
    }

    @Test("The reconciliation's result is the given reason")
    func reason() async throws {
        let host = try await TestHost.approved()
        await host.service.disableTelemetry(reason: .missingClient)
        #expect(host.service.reconciliation == .missingClient)
    }

    @Test("The logger is off before its client's identifier is removed, so that no event lacks one")
    func order() async throws {
        let host = try await TestHost.approved()
        await host.service.disableTelemetry()
        #expect(host.logger.calls.suffix(2) == [.setEnabled(false), .setClientIdentifier(nil)])
    }

    @Test("When the viewer revokes the approval or deletes the record, the logger is turned off once", arguments: [true, false])
    func revoked(_ isDeleted: Bool) async throws {
        let host = try await TestHost.approved()
        let calls = host.logger.calls.count
        if isDeleted {
            try await host.transport.store.deleteRecords(withIDs: [.client(TestHost.clientId)])
        } else {
            _ = try await host.transport.store.updateTelemetryClient(recordID: .client(TestHost.clientId), isEnabled: false)
        }
        await host.service.reconcile()
        #expect(host.service.status == .disabled)
        #expect(host.logger.calls.dropFirst(calls) == [.setEnabled(false), .setClientIdentifier(nil)])
    }

    @Test("Opting out without an opt-in makes no call")
    func nothingToDo() async throws {
        let host = try await TestHost()
        await host.service.disableTelemetry()
        #expect(host.transport.calls.isEmpty)
        #expect(host.service.status == .disabled)
    }

    @Test(
        "Every step is tried even if another failed, the failure is in the status, and the next startup completes the rest",
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
        #expect(host.transport.calls.isEmpty, "nothing is pending")
    }

    @Test("A failed opt-out is completed at the next reconciliation, which the service makes itself")
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
        #expect(host.clock.sleeperCount == 0, "no task is waiting")
    }

    @Test("Opting in again with the same identifier starts again, even if the deletion failed")
    func sameIdentifierAgain() async throws {
        let host = try await TestHost.approved()
        host.transport.isOffline = true
        await host.service.disableTelemetry()
        await host.service.enableTelemetry()
        #expect(host.service.status.errorMessage != nil)
        host.transport.isOffline = false
        #expect(await host.service.reconcile() == .pendingApproval)
        #expect(try await host.client?.isEnabled == false, "the approval was deleted with the old record")
        host.restart()
        await host.comeUp()
        #expect(host.service.status == .pendingApproval)
        #expect(try await host.client != nil)
    }
}
