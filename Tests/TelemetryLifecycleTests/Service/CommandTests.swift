import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct CommandTests {
    @Test("A viewer's enable turns sending on, and the client updates its own record")
    func enable() async throws {
        let host = try await TestHost()
        await host.service.enableTelemetry()
        try await host.command(.enable)
        await host.service.reconcile()
        #expect(host.service.status == .enabled)
        #expect(host.service.settings == TelemetryFixtures.approvedSettings)
        #expect(await host.settingsStore.load() == TelemetryFixtures.approvedSettings)
        #expect(await host.logger.isEnabled == true)
        #expect(try await host.client?.isEnabled == true)
        #expect(host.service.clientRecord?.isEnabled == true)
        #expect(try await host.status() == .executed)
        #expect(await host.service.reconcile() == .localAndServerEnabled)
    }

    @Test("An enable whose record cannot be saved has no effect and fails with a message")
    func enableFails() async throws {
        let host = try await TestHost()
        await host.service.enableTelemetry()
        host.transport.fail(.saveRecords)
        try await host.command(.enable)
        await host.service.reconcile()
        #expect(host.service.status == .pendingApproval)
        let command = try await host.transport.store.fetchCommand(recordID: .command("command"))
        #expect(command?.status == .failed)
        #expect(command?.errorMessage?.isEmpty == false)
    }

    @Test("A viewer's disable is an opt-out whose executed command is kept for the viewer")
    func disable() async throws {
        let host = try await TestHost.approved()
        try await host.addNeighbour("neighbour")
        try await host.service.registerScenarios(["A"])
        try await host.transport.store.append(TelemetryFixtures.events(1...3))
        try await host.command(.deleteEvents, id: "later", age: -10)
        try await host.command(.disable)
        await host.service.reconcile()
        #expect(host.service.status == .disabled)
        // The notification of the command may have executed it already.
        #expect([.serverDisabledLocalEnabled, .allDisabled].contains(host.service.reconciliation))
        #expect(await host.settingsStore.load() == .defaults)
        #expect(await host.logger.isEnabled == false)
        #expect(try await host.belongings(of: TestHost.clientId) == 1)
        let command = try await host.transport.store.fetchCommand(recordID: .command("command"))
        #expect(command?.status == .executed)
        #expect(command?.executedAt == TelemetryFixtures.date)
        #expect(try await host.belongings(of: "neighbour") == 4)
    }

    @Test("If the process ends between a disable and its mark, the command is marked after the restart")
    func disableAndDie() async throws {
        let host = try await TestHost.approved()
        // Everything from the deletions on fails; then the process ends.
        host.transport.fail(.deleteRecords, times: 1_000)
        host.transport.fail(.saveRecords, times: 1_000)
        try await host.command(.disable)
        await host.service.reconcile()
        #expect(await host.settingsStore.load() == .defaults)
        #expect(try await host.status() == .pending)
        host.restart()
        host.transport.stopFailing(.deleteRecords)
        host.transport.stopFailing(.saveRecords)
        await host.comeUp()
        #expect(try await host.status() == .executed)
        #expect(try await host.belongings(of: TestHost.clientId) == 1)
        #expect(host.service.status == .disabled)
    }

    @Test("A viewer's deletion of events deletes this client's events, including buffered ones, and no other client's")
    func deleteEvents() async throws {
        let host = try await TestHost.approved()
        try await host.addNeighbour("neighbour")
        try await host.transport.store.append(TelemetryFixtures.events(1...3))
        try await host.command(.deleteEvents)
        await host.service.reconcile()
        #expect(try await host.transport.store.countEvents(matching: .init(clientId: TestHost.clientId)) == 0)
        #expect(try await host.belongings(of: "neighbour") == 4)
        #expect(try await host.status() == .executed)
        #expect(host.logger.calls.suffix(2) == [.setEnabled(false), .setEnabled(true)], "buffered events are discarded")
        #expect(host.service.status == .enabled)
    }

    @Test("A deletion that fails is reported, and sending continues")
    func deleteEventsFails() async throws {
        let host = try await TestHost.approved()
        host.transport.fail(.deleteEvents)
        try await host.command(.deleteEvents)
        await host.service.reconcile()
        #expect(try await host.status() == .failed)
        #expect(await host.logger.isEnabled == true)
    }

    @Test("A scenario command changes the scenario in state, store, logger and record", arguments: [true, false])
    func scenario(isEnabled: Bool) async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        try await host.service.setScenarioEnabled("A", enabled: !isEnabled)
        try await host.command(isEnabled ? .enableScenario : .disableScenario, scenario: "A")
        await host.service.reconcile()
        #expect(host.service.scenarioStates == ["A": isEnabled])
        #expect(await host.scenarioStore.loadState(for: "A") == isEnabled)
        #expect(await host.logger.scenarioStates == ["A": isEnabled])
        #expect(try await host.mirrored() == ["A": isEnabled])
        #expect(try await host.status() == .executed)
    }

    @Test("A scenario command for an unregistered name is kept, and its record is created with the registration")
    func unknownScenario() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        try await host.command(.enableScenario, scenario: "Later")
        await host.service.reconcile()
        #expect(host.service.scenarioStates == ["A": false, "Later": true])
        #expect(await host.scenarioStore.loadState(for: "Later") == true)
        #expect(await host.logger.scenarioStates == ["A": false, "Later": true])
        #expect(try await host.mirrored() == ["A": false])
        #expect(try await host.status() == .executed)
        try await host.service.registerScenarios(["A", "Later"])
        #expect(try await host.mirrored() == ["A": false, "Later": true])
    }

    @Test(
        "An invalid scenario command fails with a message",
        arguments: [nil, "", String(repeating: "n", count: 257)])
    func badScenario(name: String?) async throws {
        let host = try await TestHost.approved()
        try await host.command(.enableScenario, scenario: name)
        await host.service.reconcile()
        let command = try await host.transport.store.fetchCommand(recordID: .command("command"))
        #expect(command?.status == .failed)
        #expect(command?.errorMessage?.isEmpty == false)
        #expect(host.service.scenarioStates.isEmpty)
    }

    @Test("A scenario command is executed even if its record cannot be updated at first")
    func scenarioRecordLater() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A"])
        host.transport.fail(.saveRecords)
        try await host.command(.enableScenario, scenario: "A")
        await host.service.reconcile()
        #expect(try await host.status() == .executed)
        #expect(try await host.mirrored() == ["A": true], "the same reconciliation updates it")
    }

    @Test("A command with an unknown action fails with a message, and keeps its other fields")
    func unknownAction() async throws {
        let host = try await TestHost.approved()
        var record = TelemetryFixtures.command(.enable).toRecord()
        record["action"] = "selfDestruct"
        record["future"] = 7
        let saved = try await host.transport.store.save([record], policy: .insert)
        await host.service.reconcile()
        let id = try #require(saved.first?.recordID)
        let stored = try #require(try await host.transport.store.record(withID: id))
        #expect(stored["status"] == "failed")
        #expect(stored["errorMessage"]?.stringValue?.contains("selfDestruct") == true)
        #expect(stored["action"] == "selfDestruct")
        #expect(stored["future"] == 7)
    }

    @Test("The message about a very long action is short enough for the record")
    func hugeAction() async throws {
        let host = try await TestHost.approved()
        var record = TelemetryFixtures.command(.enable).toRecord()
        record["action"] = .string(String(repeating: "é", count: 400_000))
        let saved = try await host.transport.store.save([record], policy: .insert)
        await host.service.reconcile()
        let stored = try await host.transport.store.record(withID: try #require(saved.first?.recordID))
        #expect(stored?["status"] == "failed")
        let message = try #require(stored?["errorMessage"]?.stringValue)
        #expect(message.hasPrefix("The command's action"))
        #expect(message.utf8.count <= 1_010)
    }

    @Test("Commands run oldest first; of those for one scenario only the newest runs")
    func oldestFirst() async throws {
        let host = try await TestHost.approved()
        try await host.service.registerScenarios(["A", "B"])
        try await host.commands(
            TelemetryFixtures.command(.disableScenario, commandId: "b", scenarioName: "A", age: 5),
            TelemetryFixtures.command(.enableScenario, commandId: "d", scenarioName: "B", age: 1),
            TelemetryFixtures.command(.enableScenario, commandId: "c", scenarioName: "A", age: 3),
            TelemetryFixtures.command(.enableScenario, commandId: "a", scenarioName: "A", age: 9))
        await host.service.reconcile()
        #expect(host.service.scenarioStates == ["A": true, "B": true])
        for id in ["a", "b"] { #expect(try await host.status(of: id) == .superseded) }
        for id in ["c", "d"] { #expect(try await host.status(of: id) == .executed) }
        let pushed = host.logger.calls.suffix(2)
        #expect(pushed == [.updateScenarioStates(["A": true, "B": false]), .updateScenarioStates(["A": true, "B": true])])
    }

    @Test("A notification and a reconciliation that read a command at the same time run it once")
    func once() async throws {
        let host = try await TestHost.approved()
        let service = host.service
        try await host.service.registerScenarios(["A"])
        try await host.command(.enableScenario, scenario: "A")
        let notification = TelemetryNotification(recordType: TelemetrySchema.commandRecordType)
        async let looked = service.reconcile()
        async let first = service.handleRemoteNotification(notification)
        async let second = service.handleRemoteNotification(notification)
        let handled = await (looked, first, second)
        #expect(handled.1 && handled.2)
        #expect(host.logger.calls.count { $0 == .updateScenarioStates(["A": true]) } == 1)
        #expect(try await host.status() == .executed)
    }

    @Test("Commands for other clients are not touched")
    func others() async throws {
        let host = try await TestHost.approved()
        try await host.addNeighbour("neighbour")
        await host.service.reconcile()
        #expect(try await host.status(of: "of-neighbour") == .pending)
    }
}
