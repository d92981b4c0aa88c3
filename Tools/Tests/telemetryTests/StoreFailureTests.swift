import Foundation
import TelemetryModels
import Testing

/// Tests of commands whose store fails after it accepted a part of them.
struct StoreFailureTests {
    private func withRelay(_ body: (ScriptedRelay) async throws -> Void) async throws {
        let relay = try ScriptedRelay()
        defer { relay.stop() }
        for client in ["a", "b", "c"] { relay.addClient(client, isEnabled: true) }
        try await body(relay)
    }

    @Test(
        "If the relay refuses a command, the clients to which it was sent are reported, and the others",
        arguments: [(429, "rateLimited"), (503, "unavailable")])
    func unsent(status: Int, code: String) async throws {
        try await withRelay { relay in
            relay.refuseAfterFirst("/v1/records", containing: "TelemetryCommand", status: status, code: code)
            let result = try await ToolProcess.run("disable", "--all", "--yes", "--relay", relay.url)
            #expect(result.code == 1)
            #expect(result.output.hasSuffix("✓ 1 client stopped telemetry and deleted the data.\n"))
            #expect(
                result.errors == """
                    Sent to 1 client: a.
                    Not sent to 2 clients: b, c.
                    Reason: The relay at \(relay.url) answered \(status): Try again later.
                    telemetry: 2 of 3 clients did not execute the command.

                    """)
        }
    }

    @Test("If the relay refuses a command that does not wait, the clients without it are reported")
    func unsentWithoutWaiting() async throws {
        try await withRelay { relay in
            relay.refuseAfterFirst("/v1/records", containing: "TelemetryCommand", status: 429, code: "rateLimited")
            let result = try await ToolProcess.run("pause", "--all", "--yes", "--no-wait", "--relay", relay.url)
            #expect(result.code == 1)
            #expect(result.output.contains("Sent to 1 client. "))
            #expect(result.errors.contains("Sent to 1 client: a.\nNot sent to 2 clients: b, c.\n"), "\(result.errors)")
            #expect(result.errors.hasSuffix("telemetry: The command was not sent to 2 of 3 clients.\n"))
        }
    }

    @Test("If the answers cannot be read, this is reported instead of pending commands")
    func unread() async throws {
        try await withRelay { relay in
            relay.refuseAfterFirst("/v1/records/query", containing: "TelemetryCommand", status: 503, code: "unavailable")
            let result = try await ToolProcess.run("pause", "--all", "--yes", "--relay", relay.url)
            #expect(result.code == 75)
            #expect(result.errors.contains("The answers of these clients could not be read: a, b, c. "), "\(result.errors)")
            #expect(result.errors.contains("\nReason: The relay at \(relay.url) answered 503: Try again later.\n"))
        }
    }

    @Test(
        "A scenario's command that was executed succeeds although the scenario cannot be read afterwards",
        arguments: [("enable", "enabled"), ("disable", "disabled"), ("reset", "reset")])
    func unreadScenario(command: String, effect: String) async throws {
        try await withRelay { relay in
            relay.addScenario("FileRead", of: "a")
            relay.refuseAfterFirst("/v1/records/query", containing: "TelemetryScenario", status: 503, code: "unavailable")
            let result = try await ToolProcess.run(command, "a", "FileRead", "--relay", relay.url)
            #expect(result.code == 0)
            #expect(result.output.hasPrefix("✓ FileRead is \(effect) on client a."))
            #expect(result.errors.isEmpty, "\(result.errors)")
        }
    }

    @Test("The end of an earlier lease is not printed as that of the new one")
    func staleEnd() async throws {
        try await withRelay { relay in
            relay.addScenario("FileRead", of: "a", end: "2099-11-21T03:00:00Z")
            let result = try await ToolProcess.run("enable", "a", "FileRead", "--relay", relay.url)
            #expect(result.code == 0)
            #expect(result.errors.isEmpty, "\(result.errors)")
        }
    }
}
