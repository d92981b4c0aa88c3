import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import ViewerKit

struct CommandSenderTests {
    private let transport = MockTelemetryTransport()
    private let commands = ["a", "b", "c"].map { TelemetryCommandRecord(commandId: "to-\($0)", clientId: $0, action: .disable) }

    private func failSaving(
        _ command: String, with code: TelemetryTransportError.Code, _ moment: MockTelemetryTransport.FailureTiming = .beforeEffect
    ) {
        transport.fail(.saveRecords, with: TelemetryTransportError(code: code, message: "no"), moment) { call in
            guard case .saveRecords(let records, _) = call else { return false }
            return records.contains { $0["commandId"]?.stringValue == command }
        }
    }

    private func send(wait: Duration? = .seconds(3_600)) async throws -> CommandSender.Results {
        try await CommandSender(transport: transport).send(commands, wait: wait) { _ in }
    }

    /// Executes the commands in the store.
    private func execute() async throws {
        for command in try await transport.store.fetchCommands(status: .pending) {
            try await transport.store.updateCommandStatus(recordID: try #require(command.recordID), status: .executed)
        }
    }

    @Test(
        "The result of one command is its client's answer",
        arguments: [TelemetrySchema.CommandStatus.executed, .failed, .rejected, .expired, .superseded])
    func answer(status: TelemetrySchema.CommandStatus) async throws {
        async let sent = CommandSender(transport: transport).send(commands[0], wait: .seconds(3_600))
        // A call is recorded before its effect: only the first reading follows the command's storage.
        await transport.called(.record)
        let id = try #require(try await transport.store.fetchCommands().first?.recordID)
        try await transport.store.updateCommandStatus(recordID: id, status: status)
        switch try await sent {
        case .executed(let command): #expect(status == .executed && command.status == status)
        case .failed(let command): #expect(status != .executed && command.status == status)
        case .unanswered: Issue.record("The answer was not awaited.")
        }
    }

    @Test("One command that is removed before its client answers is an error; one that does not wait is unanswered")
    func removed() async throws {
        let sent = Task { [transport, commands] in
            try await CommandSender(transport: transport).send(commands[0], wait: .seconds(3_600))
        }
        await transport.called(.record)
        let id = try #require(try await transport.store.fetchCommands().first?.recordID)
        try await transport.store.deleteCommand(recordID: id)
        await #expect(throws: ToolFailure.self) { try await sent.value }
        #expect(try await CommandSender(transport: transport).send(commands[1], wait: nil) == .unanswered)
    }

    @Test("Commands that were sent before the store failed are awaited and reported, and the others")
    func sendingFails() async throws {
        failSaving("to-c", with: .rateLimited)
        async let sent = send()
        await transport.called(.saveRecords, atLeast: 3)
        try await execute()
        let results = try await sent
        #expect(results.executed.map(\.clientId) == ["a", "b"])
        #expect(results.unsent.map(\.clientId) == ["c"])
        #expect((results.sendingError as? TelemetryTransportError)?.code == .rateLimited)
        #expect(results.readingError == nil)
    }

    @Test("Without waiting, the commands that were sent are reported, and the others")
    func sendingFailsWithoutWaiting() async throws {
        failSaving("to-b", with: .unavailable)
        let results = try await send(wait: nil)
        #expect(results.sent.map(\.clientId) == ["a"])
        #expect(results.unsent.map(\.clientId) == ["b", "c"])
    }

    @Test("A command is not reported as unsent if the store stored it and its answer was lost")
    func lostAnswer() async throws {
        failSaving("to-b", with: .unavailable, .afterEffect)
        let results = try await send(wait: nil)
        #expect(results.sent.map(\.clientId) == ["a", "b"])
        #expect(results.unsent.map(\.clientId) == ["c"])
    }

    @Test("If no command was sent, the store's error is thrown")
    func nothingSent() async throws {
        failSaving("to-a", with: .unauthorized)
        let error = await #expect(throws: TelemetryTransportError.self) { try await send() }
        #expect(error?.code == .unauthorized)
        #expect(transport.calls(of: .saveRecords).count == 1)
    }

    @Test("Answers are awaited although the first reading of the commands fails")
    func firstReadingFails() async throws {
        transport.fail(.records)
        async let sent = send()
        await transport.called(.records)
        try await execute()
        let results = try await sent
        #expect(results.executed.map(\.clientId) == ["a", "b", "c"])
        #expect(results.readingError == nil)
    }

    @Test("If the answers cannot be read, the commands are unanswered")
    func lastReadingFails() async throws {
        transport.fail(.records, with: TelemetryTransportError(code: .unauthorized, message: "no"), times: 2)
        let results = try await send()
        #expect(results.unanswered.map(\.clientId) == ["a", "b", "c"])
        #expect((results.readingError as? TelemetryTransportError)?.code == .unauthorized)
    }
}
