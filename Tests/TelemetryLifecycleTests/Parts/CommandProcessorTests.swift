import Foundation
import Synchronization
import TelemetryLifecycle
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct CommandProcessorTests {
    private struct Refusal: LocalizedError {
        var errorDescription: String? { "Not today." }
    }

    /// Records the handlers' calls, in order.
    private final class Log: Sendable {
        private let entries = Mutex<[String]>([])
        func append(_ entry: String) { entries.withLock { $0.append(entry) } }
        var all: [String] { entries.withLock(\.self) }
    }

    private let transport = MockTelemetryTransport()
    private let log = Log()

    private func makeProcessor(
        gate: TestGate? = nil, onEnable: (@Sendable () async throws -> Void)? = nil
    ) -> TelemetryCommandProcessor {
        TelemetryCommandProcessor(
            transport: transport, clientId: TelemetryFixtures.clientId,
            onEnable: onEnable ?? { [log] in
                log.append("enable")
                try await gate?.pass()
            },
            onDisable: { [log] in log.append("disable") },
            onDeleteEvents: { [log] in log.append("deleteEvents") },
            onEnableScenario: { [log] in log.append("+\($0)") },
            onDisableScenario: { [log] in log.append("-\($0)") })
    }

    private func add(_ action: TelemetrySchema.CommandAction, _ id: String, scenario: String? = nil, age: Double = 0) async throws
    {
        try await transport.store.createCommand(
            TelemetryFixtures.command(action, commandId: id, scenarioName: scenario, age: age))
    }

    private func command(_ id: String) async throws -> TelemetryCommandRecord? {
        try await transport.store.fetchCommand(recordID: .command(id))
    }

    @Test("Each command is passed to its handler, oldest first, and marked as executed")
    func handlers() async throws {
        try await add(.enable, "1", age: 9)
        try await add(.disable, "2", age: 8)
        try await add(.deleteEvents, "3", age: 7)
        try await add(.enableScenario, "4", scenario: "A", age: 6)
        try await add(.disableScenario, "5", scenario: "B", age: 5)
        await makeProcessor().processCommands()
        #expect(log.all == ["enable", "disable", "deleteEvents", "+A", "-B"])
        for id in ["1", "2", "3", "4", "5"] {
            let ended = try await command(id)
            #expect(ended?.status == .executed)
            #expect(ended?.executedAt != nil)
            #expect(ended?.errorMessage == nil)
        }
    }

    @Test("A command costs one query, one read right before it runs, and one write")
    func calls() async throws {
        try await add(.enable, "1")
        await makeProcessor().processCommands()
        #expect(transport.calls.map(\.operation) == [.records, .record, .saveRecords])
    }

    @Test("A command whose handler throws fails with the error's message; later commands run")
    func throwing() async throws {
        try await add(.enable, "1", age: 9)
        try await add(.deleteEvents, "2")
        await makeProcessor(onEnable: { throw Refusal() }).processCommands()
        #expect(try await command("1")?.status == .failed)
        #expect(try await command("1")?.errorMessage == "Not today.")
        #expect(try await command("2")?.status == .executed)
    }

    @Test(
        "An unsupported command fails with a message, and nothing changes",
        arguments: [
            TelemetryCommandRecord(commandId: "1", clientId: TelemetryFixtures.clientId, action: .pause),
            .init(commandId: "1", clientId: TelemetryFixtures.clientId, action: .resume),
            .init(commandId: "1", clientId: TelemetryFixtures.clientId, action: .resetScenario, scenarioName: "A"),
            .init(commandId: "1", clientId: TelemetryFixtures.clientId, action: .captureScenario, scenarioName: "A"),
            .init(commandId: "1", clientId: TelemetryFixtures.clientId, action: .enableScenario, scenarioName: "A", lease: 60),
            .init(commandId: "1", clientId: TelemetryFixtures.clientId, action: .enableScenario, scenarioName: "A", level: .info),
        ])
    func unsupported(command: TelemetryCommandRecord) async throws {
        try await transport.store.createCommand(command)
        await makeProcessor().processCommands()
        let ended = try await self.command("1")
        #expect(ended?.status == .failed && ended?.errorMessage?.contains("does not support") == true)
        #expect(log.all.isEmpty)
    }

    @Test("Of several commands for one scenario only the newest runs; an expired one neither runs nor supersedes another")
    func newest() async throws {
        try await add(.enableScenario, "1", scenario: "A", age: 9)
        try await add(.disableScenario, "2", scenario: "B", age: 8)
        try await add(.disableScenario, "3", scenario: "A", age: 7)
        try await transport.store.createCommand(
            TelemetryCommandRecord(
                commandId: "4", clientId: TelemetryFixtures.clientId, action: .enableScenario, scenarioName: "A",
                created: TelemetryFixtures.date, expires: .distantPast))
        await makeProcessor().processCommands()
        #expect(log.all == ["-B", "-A"])
        for (id, status) in [("1", "superseded"), ("2", "executed"), ("3", "executed"), ("4", "expired")] {
            let ended = try await command(id)
            #expect(ended?.status.rawValue == status)
            #expect((ended?.errorMessage == nil) == (status == "executed"))
        }
    }

    @Test("Overlapping calls run each command once, and each call returns after the commands that were pending when it was made")
    func overlapping() async throws {
        let gate = TestGate()
        gate.close()
        let processor = makeProcessor(gate: gate)
        try await add(.enable, "1")
        async let first: Void = processor.processCommands()
        await gate.waiters()
        try await add(.deleteEvents, "2")
        async let second: Void = processor.processCommands()
        async let third = processor.handleRemoteNotification(.init(recordType: TelemetrySchema.commandRecordType))
        gate.open()
        _ = await (first, second, third)
        #expect(log.all == ["enable", "deleteEvents"])
        #expect(try await command("2")?.status == .executed)
    }

    @Test("A command whose status could not be saved is marked later, and not run again")
    func untold() async throws {
        let processor = makeProcessor()
        try await add(.enable, "1")
        transport.fail(.saveRecords)
        await processor.processCommands()
        #expect(try await command("1")?.status == .pending)
        await processor.processCommands()
        #expect(log.all == ["enable"])
        #expect(try await command("1")?.status == .executed)
    }

    @Test("A command runs again if the process ends between running and marking it")
    func died() async throws {
        try await add(.enable, "1")
        transport.fail(.saveRecords)
        await makeProcessor().processCommands()
        await makeProcessor().processCommands()
        #expect(log.all == ["enable", "enable"])
        #expect(try await command("1")?.status == .executed)
    }

    @Test(
        "While a command's status cannot be saved, no later command runs, so that commands never run again out of order",
        arguments: [
            TelemetryTransportError.Code.quotaExceeded, .unauthorized, .unavailable, .rateLimited, .closed, .conflict,
            .partialFailure,
        ])
    func laterCommandsWait(code: TelemetryTransportError.Code) async throws {
        try await add(.enableScenario, "1", scenario: "A", age: 9)
        try await add(.disableScenario, "2", scenario: "B", age: 5)
        transport.fail(.saveRecords, with: TelemetryTransportError(code: code, message: "Not now."), times: 2_000)
        await makeProcessor().processCommands()
        #expect(log.all == ["+A"])
        transport.stopFailing(.saveRecords)
        // As after a restart: a new processor has no record of the unsaved status.
        await makeProcessor().processCommands()
        #expect(log.all == ["+A", "+A", "-B"])
        for id in ["1", "2"] { #expect(try await command(id)?.status == .executed) }
    }

    @Test("While a command's failure cannot be saved, no later command runs")
    func laterCommandsWaitForFailure() async throws {
        try await add(.enable, "1", age: 9)
        try await add(.disableScenario, "2", scenario: "A", age: 5)
        transport.fail(.saveRecords, with: TelemetryTransportError(code: .quotaExceeded, message: "Full."))
        let processor = makeProcessor(onEnable: { throw Refusal() })
        await processor.processCommands()
        #expect(log.all.isEmpty)
        await processor.processCommands()
        #expect(log.all == ["-A"])
        #expect(try await command("1")?.status == .failed)
    }

    @Test("A command whose status can never be saved is removed: it neither blocks later ones nor runs again")
    func permanentFailure() async throws {
        try await add(.enableScenario, "1", scenario: "A", age: 9)
        try await add(.disableScenario, "2", scenario: "B", age: 5)
        transport.fail(.saveRecords, with: TelemetryTransportError(code: .invalidArgument, message: "Never."))
        await makeProcessor().processCommands()
        await makeProcessor().processCommands()
        #expect(log.all == ["+A", "-B"])
        #expect(try await command("1") == nil)
        #expect(try await command("2")?.status == .executed)
    }

    @Test("If a command can be neither marked nor removed, later ones wait")
    func neitherMarkedNorRemoved() async throws {
        try await add(.enableScenario, "1", scenario: "A", age: 9)
        try await add(.disableScenario, "2", scenario: "B", age: 5)
        transport.fail(.saveRecords, with: TelemetryTransportError(code: .invalidArgument, message: "Never."))
        transport.fail(.deleteRecords)
        await makeProcessor().processCommands()
        #expect(log.all == ["+A"])
        await makeProcessor().processCommands()
        #expect(log.all == ["+A", "+A", "-B"])
    }

    @Test("A lost answer to the status update does not run the command again")
    func lostAnswer() async throws {
        let processor = makeProcessor()
        try await add(.enable, "1")
        transport.fail(.saveRecords, .afterEffect)
        await processor.processCommands()
        await processor.processCommands()
        await makeProcessor().processCommands()
        #expect(log.all == ["enable"])
    }

    @Test("A conflict during the status update reads the record again and keeps the viewer's change")
    func conflict() async throws {
        let processor = makeProcessor()
        try await add(.enable, "1")
        transport.hold(.saveRecords)
        async let run: Void = processor.processCommands()
        await transport.held(.saveRecords)
        var record = try #require(try await transport.store.record(withID: .command("1")))
        record["note"] = "the viewer's"
        _ = try await transport.store.save([record], policy: .ifUnchanged)
        transport.release(.saveRecords)
        await run
        let stored = try #require(try await transport.store.record(withID: .command("1")))
        #expect(stored["status"] == "executed")
        #expect(stored["note"] == "the viewer's")
        #expect(log.all == ["enable"])
    }

    @Test("A command that was removed by the viewer or by an earlier command is not run")
    func removed() async throws {
        try await add(.enable, "1", age: 9)
        try await add(.deleteEvents, "2")
        let store = transport.store
        let processor = makeProcessor(onEnable: { try await store.deleteCommand(recordID: .command("2")) })
        await processor.processCommands()
        #expect(log.all.isEmpty)
        #expect(try await command("1")?.status == .executed)
    }

    @Test("Commands that cannot be fetched are left to the next call")
    func unreachable() async throws {
        let processor = makeProcessor()
        try await add(.enable, "1")
        transport.isOffline = true
        await processor.processCommands()
        transport.isOffline = false
        #expect(log.all.isEmpty)
        await processor.processCommands()
        #expect(log.all == ["enable"])
    }

    @Test(
        "Only notifications that may concern the client's commands are handled",
        arguments: [
            (TelemetryNotification(), true),
            (TelemetryNotification(subscriptionID: "TelemetryCommand-\(TelemetryFixtures.clientId)"), true),
            (TelemetryNotification(subscriptionID: "TelemetryCommand-other"), false),
            (TelemetryNotification(recordType: TelemetrySchema.clientRecordType), false),
        ])
    func notifications(notification: TelemetryNotification, isOwn: Bool) async throws {
        try await add(.enable, "1")
        #expect(await makeProcessor().handleRemoteNotification(notification) == isOwn)
        #expect(log.all.isEmpty == !isOwn)
    }
}
