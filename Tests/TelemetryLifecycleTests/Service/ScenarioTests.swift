import Foundation
import Observation
import Synchronization
import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct ScenarioTests {
    @Test("Registering new scenarios creates a record for each, off")
    func fresh() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A", "B", "A"])
        #expect(host.service.scenarioStates == ["A": false, "B": false])
        #expect(await host.logger.scenarioStates == ["A": false, "B": false])
        let records = try await host.transport.store.fetchScenarios(forClient: TestHost.clientId)
        #expect(records.map(\.scenarioName) == ["A", "B"])
        #expect(records.allSatisfy { !$0.isEnabled && $0.created == TelemetryFixtures.date })
    }

    @Test("Persisted states are restored")
    func restored() async throws {
        let host = try await TestHost.approved()
        await host.scenarioStore.saveState(for: "A", isEnabled: true)
        await host.scenarioStore.saveState(for: "Other", isEnabled: true)
        try await host.service.registerScenarios(["A", "B"])
        #expect(host.service.scenarioStates == ["A": true, "B": false])
        #expect(try await host.mirrored() == ["A": true, "B": false])
        #expect(await host.logger.scenarioStates == ["A": true, "B": false])
    }

    @Test("Registering again creates no second record, even after a crash or a lost answer")
    func noDuplicates() async throws {
        let host = try await TestHost.approved()
        host.transport.fail(.saveRecords, .afterEffect)
        try await host.service.registerScenarios(["A", "B"])
        try await host.service.registerScenarios(["A", "B"])
        host.restart()
        await host.comeUp()
        try await host.service.registerScenarios(["A", "B"])
        let records = try await host.transport.store.fetchScenarios(forClient: TestHost.clientId)
        #expect(records.map(\.scenarioName) == ["A", "B"])
    }

    @Test("Registering while offline does not throw; the records are created soon, without a call")
    func unreachable() async throws {
        let host = try await TestHost.approved(interval: .seconds(900))
        await host.scenarioStore.saveState(for: "A", isEnabled: true)
        host.transport.isOffline = true
        try await host.service.registerScenarios(["A", "B"])
        #expect(host.service.scenarioStates == ["A": true, "B": false])
        #expect(await host.logger.scenarioStates == ["A": true, "B": false])
        #expect(host.told.all.map(\.kind) == [.transportFailed])
        host.transport.isOffline = false
        await host.clock.sleepers(atLeast: 1)
        #expect(host.clock.timeToNextWake == .seconds(60))
        host.clock.advance(by: .seconds(60))
        await host.transport.called(.saveRecords)
        await host.service.reconcile()
        #expect(try await host.mirrored() == ["A": true, "B": false])
    }

    @Test("A scenario record that a reconciliation could not update is retried soon")
    func failingAlignment() async throws {
        let host = try await TestHost.approved(interval: .seconds(900))
        host.transport.fail(.saveRecords, times: 2)
        try await host.service.registerScenarios(["A"])
        await host.service.reconcile()
        #expect(try await host.mirrored().isEmpty)
        await host.clock.sleepers(atLeast: 1)
        #expect(host.clock.timeToNextWake == .seconds(60))
    }

    @Test("Registering a name that the store permanently refuses throws", arguments: [true, false])
    func refused(isPartial: Bool) async throws {
        let host = try await TestHost.approved()
        let refusal = TelemetryTransportError(code: .invalidArgument, message: "The name is not allowed.")
        let error =
            isPartial
            ? TelemetryTransportError(
                code: .partialFailure, message: "1 of 2 failed.",
                failures: [.scenario("B", ofClient: TestHost.clientId): refusal])
            : refusal
        host.transport.fail(.saveRecords, with: error)
        let thrown = await #expect(throws: TelemetryTransportError.self) {
            try await host.service.registerScenarios(["A", "B"])
        }
        #expect(thrown?.code == .invalidArgument)
        #expect(host.service.scenarioStates == ["A": false, "B": false])
    }

    @Test("Canonically equal names are one scenario")
    func canonicalEquivalence() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["caf\u{e9}", "cafe\u{301}"])
        try await host.service.setScenarioEnabled("cafe\u{301}", enabled: true)
        #expect(host.service.scenarioStates == ["caf\u{e9}": true])
        #expect(try await host.mirrored() == ["caf\u{e9}": true])
    }

    @Test("A record that an index does not list yet is found by its identity")
    func laggingIndex() async throws {
        let host = try await TestHost.approved()
        host.transport.hold(.saveRecords)
        let service = host.service
        async let registration: Void = service.registerScenarios(["A", "B"])
        await host.transport.held(.saveRecords)
        try await host.transport.store.createScenarios([TelemetryFixtures.scenario("A", isEnabled: true)])
        host.transport.release(.saveRecords)
        try await registration
        #expect(try await host.mirrored() == ["A": false, "B": false])
    }

    @Test("Without a client, states are set and no call is made; the records are created with the client")
    func beforeTheClient() async throws {
        let host = try await TestHost()
        try await host.service.registerScenarios(["A"])
        try await host.service.setScenarioEnabled("A", enabled: true)
        #expect(host.service.scenarioStates == ["A": true])
        #expect(await host.scenarioStore.loadState(for: "A") == true)
        #expect(await host.logger.scenarioStates == ["A": true])
        #expect(host.transport.calls.isEmpty)
        await host.service.enableTelemetry()
        #expect(try await host.mirrored() == ["A": true])
    }

    @Test("Scenarios that are registered before startup get records")
    func beforeStartup() async throws {
        let host = try await TestHost(settings: TelemetryFixtures.approvedSettings, server: true)
        try await host.service.registerScenarios(["A"])
        await host.comeUp()
        #expect(host.service.scenarioStates == ["A": false])
        #expect(try await host.mirrored() == ["A": false])
    }

    @Test("Registering a smaller set deletes the other records and keeps their persisted states")
    func smaller() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A", "B"])
        try await host.service.setScenarioEnabled("B", enabled: true)
        try await host.service.registerScenarios(["A"])
        #expect(host.service.scenarioStates == ["A": false])
        #expect(await host.logger.scenarioStates == ["A": false])
        #expect(try await host.mirrored() == ["A": false])
        #expect(await host.scenarioStore.loadState(for: "B") == true)
        try await host.service.registerScenarios(["A", "B"])
        #expect(host.service.scenarioStates == ["A": false, "B": true])
    }

    @Test("Switching a scenario changes state, store, logger and record")
    func switches() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A", "B"])
        try await host.service.setScenarioEnabled("A", enabled: true)
        #expect(host.service.scenarioStates == ["A": true, "B": false])
        #expect(await host.scenarioStore.loadAllStates() == ["A": true])
        #expect(await host.logger.scenarioStates == ["A": true, "B": false])
        #expect(try await host.mirrored() == ["A": true, "B": false])
    }

    @Test("If the record cannot be changed, the error is thrown, the local state is kept, and the next reconciliation updates it")
    func failingRecord() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        host.transport.isOffline = true
        await #expect(throws: TelemetryTransportError.self) { try await host.service.setScenarioEnabled("A", enabled: true) }
        #expect(host.service.scenarioStates == ["A": true])
        #expect(await host.scenarioStore.loadState(for: "A") == true)
        #expect(await host.logger.scenarioStates == ["A": true])
        host.transport.isOffline = false
        await host.service.reconcile()
        #expect(try await host.mirrored() == ["A": true])
    }

    @Test("Switching an unregistered scenario is kept; its record is created with the registration")
    func unregistered() async throws {
        let host = try await TestHost.approved()
        try await host.service.setScenarioEnabled("Later", enabled: true)
        #expect(host.service.scenarioStates == ["Later": true])
        #expect(try await host.mirrored().isEmpty)
        try await host.service.registerScenarios(["A"])
        #expect(host.service.scenarioStates == ["A": false, "Later": true])
        try await host.service.registerScenarios(["Later"])
        #expect(try await host.mirrored() == ["Later": true])
    }

    @Test(
        "A name that is empty or too long is refused, and nothing changes",
        arguments: ["", String(repeating: "é", count: 129)])
    func badNames(name: String) async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        host.transport.forgetCalls()
        for call in [
            { @MainActor in try await host.service.registerScenarios(["B", name]) },
            { @MainActor in try await host.service.setScenarioEnabled(name, enabled: true) },
        ] {
            do {
                try await call()
                Issue.record("the name was accepted")
            } catch let error as TelemetryTransportError {
                #expect(error.code == .invalidArgument)
            }
        }
        #expect(host.service.scenarioStates == ["A": false])
        #expect(await host.scenarioStore.loadAllStates().isEmpty)
        #expect(host.transport.calls.isEmpty)
    }

    @Test("A name of exactly 256 bytes is accepted")
    func longestName() async throws {
        let host = try await TestHost.approved()
        let name = String(repeating: "é", count: 128)
        try await host.service.registerScenarios([name])
        #expect(try await host.mirrored() == [name: false])
    }

    @Test("Other clients' records of the same scenario name are not touched")
    func neighbours() async throws {
        let host = try await TestHost.approved()
        try await host.addNeighbour("neighbour")
        try await host.service.registerScenarios(["Shared"])
        try await host.service.setScenarioEnabled("Shared", enabled: true)
        try await host.service.registerScenarios([])
        #expect(try await host.mirrored().isEmpty)
        #expect(try await host.mirrored("neighbour") == ["Shared": false])
    }

    @Test("A scenario is shown as on once the logger records it, and as off once it does not")
    func shownState() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        for isOn in [true, false] {
            let logger = host.logger
            let known = Mutex<[Bool]>([])
            withObservationTracking {
                _ = host.service.scenarioStates
            } onChange: {
                known.withLock { $0.append(logger.calls.last == .updateScenarioStates(["A": isOn])) }
            }
            try await host.service.setScenarioEnabled("A", enabled: isOn)
            #expect(known.withLock(\.self) == [true])
        }
    }
}
