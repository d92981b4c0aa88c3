import Foundation
import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct SessionTests {
    @Test("Ending a session deletes this client's scenario records and events, and no other client's")
    func ends() async throws {
        let host = try await TestHost.approved()
        for number in 1...50 { try await host.addNeighbour("neighbour\(number)") }
        try await host.service.registerScenarios(["Shared", "B"])
        try await host.service.setScenarioEnabled("B", enabled: true)
        try await host.transport.store.append(TelemetryFixtures.events(1...5))
        try await host.service.endSession()
        #expect(try await host.mirrored().isEmpty)
        #expect(try await host.transport.store.countEvents(matching: .init(clientId: TestHost.clientId)) == 0)
        #expect(host.service.scenarioStates.isEmpty)
        #expect(await host.logger.scenarioStates.isEmpty)
        #expect(await host.scenarioStore.loadAllStates() == ["B": true])
        #expect(host.service.settings == TelemetryFixtures.approvedSettings)
        #expect(!host.service.hasPendingWork)
        #expect(host.service.status == .enabled)
        #expect(await host.logger.isEnabled == true)
        for number in 1...50 { #expect(try await host.belongings(of: "neighbour\(number)") == 4) }
        await host.service.reconcile()
        #expect(try await host.mirrored().isEmpty, "an ended session has no scenario records")
    }

    @Test("A session that keeps its events ends without its scenario records", arguments: [true, false])
    func keepsEvents(isOffline: Bool) async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        try await host.transport.store.append([TelemetryFixtures.event(1).aged()])
        if isOffline {
            // The earlier session's events are deleted, and no others.
            host.transport.fail(.deleteEvents)
            await #expect(throws: TelemetryTransportError.self) { try await host.service.endSession() }
            try await host.service.registerScenarios(["A"])
            try await host.transport.store.append([TelemetryFixtures.event(2, sessionId: "kept")])
            host.transport.isOffline = true
            await #expect(throws: TelemetryTransportError.self) { try await host.service.endSession(keepingEvents: true) }
            host.transport.isOffline = false
            host.restart()
            await host.comeUp()
        } else {
            try await host.service.endSession(keepingEvents: true)
        }
        #expect(host.service.scenarioStates.isEmpty)
        #expect(try await host.mirrored().isEmpty)
        let events = try await host.transport.store.fetchAllEvents().filter { $0.clientId == TestHost.clientId }
        #expect(events.map(\.sequence) == [isOffline ? 2 : 1])
        #expect(!host.service.hasPendingWork)
        try await host.service.endSession()
        #expect(try await host.transport.store.countEvents(matching: .init(clientId: TestHost.clientId)) == 0)
    }

    @Test("A scenario that was turned on by a command is on again in the next session")
    func wholeCircle() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        try await host.command(.enableScenario, scenario: "A")
        await host.service.reconcile()
        try await host.service.endSession()
        host.restart()
        await host.comeUp()
        try await host.service.registerScenarios(["A"])
        #expect(host.service.scenarioStates == ["A": true])
        #expect(try await host.mirrored() == ["A": true])
        #expect(await host.logger.scenarioStates == ["A": true])
    }

    @Test(
        "A failed deletion is thrown, and repeated at the next reconciliation or startup",
        arguments: [MockTelemetryTransport.Operation.deleteEvents, .deleteRecords], [true, false])
    func fails(operation: MockTelemetryTransport.Operation, restarts: Bool) async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        try await host.transport.store.append(TelemetryFixtures.events(1...5).map { $0.aged() })
        host.transport.fail(operation)
        await #expect(throws: TelemetryTransportError.self) { try await host.service.endSession() }
        #expect(host.service.scenarioStates.isEmpty)
        #expect(host.service.settings == TelemetryFixtures.approvedSettings)
        if restarts {
            host.restart()
            await host.comeUp()
        } else {
            await host.service.reconcile()
        }
        #expect(try await host.mirrored().isEmpty)
        #expect(try await host.transport.store.countEvents(matching: .init(clientId: TestHost.clientId)) == 0)
        #expect(host.service.status == .enabled)
    }

    @Test("Events and scenarios of the next session are kept")
    func nextSession() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A", "B"])
        try await host.transport.store.append([TelemetryFixtures.event().aged()])
        host.transport.fail(.deleteEvents)
        host.transport.fail(.deleteRecords)
        await #expect(throws: TelemetryTransportError.self) { try await host.service.endSession() }
        try await host.service.registerScenarios(["B"])
        try await host.transport.store.append([TelemetryFixtures.event(2, sessionId: "next")])
        await host.service.reconcile()
        #expect(try await host.mirrored() == ["B": false])
        #expect(try await host.transport.store.fetchAllEvents().map(\.sessionId) == ["next"])
    }

    @Test("Without a client nothing is deleted, and no call is made")
    func withoutClient() async throws {
        let host = try await TestHost()
        try await host.service.registerScenarios(["A"])
        try await host.service.endSession()
        #expect(host.service.scenarioStates.isEmpty)
        #expect(host.transport.calls.isEmpty)
    }
}

extension TelemetryEvent {
    /// The same event, a minute before the fixtures' date.
    fileprivate func aged() -> TelemetryEvent {
        TelemetryEvent(
            eventId: eventId, clientId: clientId, sessionId: sessionId, sequence: sequence, name: name,
            timestamp: TelemetryFixtures.date.addingTimeInterval(-60))
    }
}
