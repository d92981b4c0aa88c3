import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// Tests of who sent a command, and of what the list of commands says about their results.
@MainActor
struct CommandAnswerTests {
    @Test(
        "A command is stored with the name that is given, that of the environment, or the user's",
        arguments: [
            (["--issuer", "ann"], [:], "ann"), ([], ["LIVE_TELEMETRY_ISSUER": "bob"], "bob"), ([], [:], "tester"),
            (["--issuer", ""], [:], nil),
        ] as [([String], [String: String], String?)])
    func issuer(options: [String], environment: [String: String], name: String?) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            try await transport.createTelemetryClient(clientId: "asleep", isEnabled: true)
            for arguments in [
                ["pause", "asleep", "--no-wait"], ["pause", "--all", "--yes", "--no-wait"], ["rule", "add", "A"],
            ] {
                let result = try await ToolProcess.run(arguments + options + ["-d", folder.path], environment: environment)
                #expect(result.code == 0, "\(result.errors)")
            }
            #expect(try await transport.fetchCommands().map(\.issuer) == [name, name])
            #expect(try await transport.fetchRules().map(\.issuer) == [name])
        }
    }

    @Test("The list of commands shows issuers and results, and says what to do about each status")
    func list() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            let start = Date(timeIntervalSince1970: 1_767_225_600)
            func add(_ id: String, _ status: TelemetrySchema.CommandStatus, message: String? = nil, result: String? = nil)
                async throws
            {
                try await transport.createCommand(
                    TelemetryCommandRecord(
                        commandId: id, clientId: "k7wq", action: .enableScenario, scenarioName: "A", created: start,
                        status: status, executedAt: status == .executed ? start + 0.25 : nil, errorMessage: message,
                        issuer: "ann", result: result))
            }
            try await add("c1", .executed, result: "lease cut to 60 s")
            let quiet = try await ToolProcess.run("commands", "-d", folder.path)
            #expect(quiet.errors.isEmpty)
            #expect(quiet.lines.last?.hasSuffix("executed  ann     after 0.3 s; lease cut to 60 s") == true, "\(quiet.output)")
            try await add("c2", .rejected, message: "The user forbids it.")
            try await add("c3", .expired, message: "Too late.")
            try await add("c4", .superseded, message: "A later command was executed instead.")
            try await add("c5", .pending)
            let result = try await ToolProcess.run("commands", "-d", folder.path)
            #expect(result.lines.contains { $0.hasSuffix("rejected    ann     The user forbids it.") }, "\(result.output)")
            for text in [
                "rejected: Only the app", "expired: Send it again", "superseded: Nothing is to be done", "pending: Its client",
            ] {
                #expect(result.errors.contains(text), "\(result.errors)")
            }
            let objects = try await ToolProcess.run("commands", "-o", "json", "-d", folder.path)
            #expect(objects.errors.isEmpty)
            #expect(objects.lines.filter { $0.contains(#""advice":""#) }.count == 4)
        }
    }
}
