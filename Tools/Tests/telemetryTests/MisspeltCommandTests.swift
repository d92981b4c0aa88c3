import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

@testable import telemetry

struct MisspeltCommandTests {
    @Test(
        "A misspelt subcommand gets a suggestion",
        arguments: [
            (["clinets"], "No command \"clinets\". Did you mean \"clients\"? To list the commands: telemetry --help"),
            (["scenario", "x"], "No command \"scenario\". Did you mean \"scenarios\"? To list the commands: telemetry --help"),
            (["context", "lits"], "No command \"lits\". Did you mean \"list\"? To list the commands: telemetry context --help"),
            (["sess"], "No command \"sess\". Did you mean \"sessions\"? To list the commands: telemetry --help"),
            (["frobnicate"], "No command \"frobnicate\". To list the commands: telemetry --help"),
        ])
    func suggestion(arguments: [String], message: String) async throws {
        #expect(MisspeltCommand(arguments, in: Telemetry.self)?.message == message)
        let result = try await ToolProcess.run(arguments)
        #expect(result.code == 64)
        #expect(result.errors.contains(message))
    }

    @Test(
        "A subcommand that exists is not reported",
        arguments: [[], ["clients"], ["--version"], ["enable", "clinets"], ["commands", "--pending"], ["help", "clients"]])
    func known(arguments: [String]) { #expect(MisspeltCommand(arguments, in: Telemetry.self) == nil) }

    @Test("Counts have a singular form, and the events of a client that is gone are printed with a note")
    func singular() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            try await transport.append([TelemetryEvent(clientId: "a", sessionId: "s", sequence: 1, name: "n")])
            let stats = try await ToolProcess.run("stats", "-d", folder.path).output
            #expect(stats.contains("1 event in 1 session\n"))
            let events = try await ToolProcess.run("events", "-c", "a", "-d", folder.path)
            #expect(events.lines.count == 2)
            #expect(events.errors == "Client \"a\" has no record now: it ended its telemetry, or was deleted.\n")
        }
    }
}
