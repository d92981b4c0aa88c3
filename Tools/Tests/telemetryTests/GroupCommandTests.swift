import Foundation
import TelemetryLifecycle
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// Tests of commands for several clients.
@MainActor
struct GroupCommandTests {
    @Test("--all enables a scenario on every client that has it, after the clients were named and confirmed")
    func all() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let first = try await TestClient(store: store, identifier: "a")
            let second = try await TestClient(store: store, identifier: "bb")
            let other = try await TestClient(store: store, identifier: "ccc", scenarios: ["C"])
            let approved = try await ToolProcess.run("enable", "--all", "--yes", "-d", store.path)
            #expect(approved.output == "  a\n  bb\n  ccc\n✓ 3 clients are approved.\n", "\(approved.errors)")
            #expect(first.service.status == .enabled && second.service.status == .enabled && other.service.status == .enabled)
            let unasked = try await ToolProcess.run("enable", "--all", "A", "--for", "1h", "-d", store.path)
            #expect(unasked.code == 1)
            #expect(unasked.output == "  a\n  bb\n")
            #expect(unasked.errors.contains("This would enable A on 2 clients. Standard input is not interactive; pass --yes"))
            let dry = try await ToolProcess.run("enable", "--all", "A", "--dry-run", "-d", store.path)
            #expect(dry.output == "  a\n  bb\nWould enable A on 2 clients.\n")
            #expect(first.service.scenarioStates["A"] == false)
            let enabled = try await ToolProcess.run(
                "enable", "--all", "A", "--for", "1h", "--level", "info", "--yes", "-d", store.path)
            #expect(enabled.code == 0)
            #expect(enabled.output == "  a\n  bb\n✓ A is enabled on 2 clients.\n")
            #expect(enabled.errors == "Left out, because they have no scenario \"A\": ccc.\n")
            for client in [first, second] {
                #expect(client.service.scenarios["A"]?.level == .info && client.service.scenarios["A"]?.expires != nil)
            }
            let disabled = try await ToolProcess.run("disable", "--all", "A", "--yes", "-d", store.path)
            #expect(disabled.output.hasSuffix("✓ A is disabled on 2 clients.\n"), "\(disabled.errors)")
            #expect(first.service.scenarioStates["A"] == false)
            let reset = try await ToolProcess.run("reset", "--all", "A", "--yes", "-d", store.path)
            #expect(reset.output.hasSuffix("✓ A is reset on 2 clients.\n"), "\(reset.errors)")
            let missing = try await ToolProcess.run("enable", "--all", "X", "--for", "1h", "--yes", "-d", store.path)
            #expect(missing.code == 66 && missing.errors.contains("Scenarios: A, B, C."), "\(missing.errors)")
        }
    }

    @Test("--where selects clients by the fields of their records, and by alias")
    func conditions() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let transport = try FileTelemetryTransport(directory: store)
            for (id, version) in [("a", "2.0"), ("b", "2.1"), ("c", "10.0")] {
                try await transport.createTelemetryClient(
                    TelemetryClientRecord(clientId: id, isEnabled: true, appVersion: version))
            }
            try await transport.createTelemetryClient(clientId: "d", isEnabled: true)
            func dry(_ condition: String) async throws -> ToolProcess.Result {
                try await ToolProcess.run(
                    "pause", "--where", condition, "--dry-run", "-d", store.path, environment: ["XDG_CONFIG_HOME": folder.path])
            }
            #expect(try await dry("appVersion>=2.1").output == "  b\n  c\nWould pause 2 clients.\n")
            #expect(try await dry("clientId in a,d").output == "  a\n  d\nWould pause 2 clients.\n")
            _ = try await ToolProcess.run("alias", "a", "phone", "-d", store.path, environment: ["XDG_CONFIG_HOME": folder.path])
            #expect(try await dry("clientId=phone").output == "  phone (a)\nWould pause 1 client.\n")
            let none = try await dry("appVersion>=11")
            #expect(none.code == 66 && none.errors.contains("None of 4 clients meets the conditions."))
            let unknown = try await dry("deviceType=phone")
            #expect(unknown.code == 64)
            #expect(unknown.errors.contains("--where cannot use \"deviceType\", because the store does not contain it."))
        }
    }

    @Test("Clients are paused and resumed together, and those to which the command does not apply are left out")
    func pause() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let client = try await TestClient(store: store, identifier: "a")
            _ = try await TestClient(store: store, identifier: "pending")
            _ = try await ToolProcess.run("approve", "a", "-d", store.path)
            let paused = try await ToolProcess.run("pause", "--all", "--yes", "-d", store.path)
            #expect(paused.output == "  a\n✓ 1 client is paused.\n", "\(paused.errors)")
            #expect(client.service.isPaused)
            let again = try await ToolProcess.run("pause", "--all", "--yes", "-d", store.path)
            #expect(again.code == 0)
            #expect(again.errors == "Nothing to do: none of 2 selected clients is approved and not paused.\n")
            let resumed = try await ToolProcess.run("resume", "--all", "--yes", "-d", store.path)
            #expect(resumed.output == "  a\n✓ 1 client is resumed.\n", "\(resumed.errors)")
            #expect(!client.service.isPaused)
        }
    }

    @Test("Clients that reject the command or do not answer are named, and change the exit code")
    func partial() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let allowing = try await TestClient(store: store, identifier: "allowing")
            let refusing = try await TestClient(
                store: store, identifier: "refusing1", policy: TelemetryPolicy(remoteScenarios: []))
            _ = try await ToolProcess.run("enable", "--all", "--yes", "-d", store.path)
            let rejected = try await ToolProcess.run("enable", "--all", "A", "--for", "1h", "--yes", "-d", store.path)
            #expect(rejected.code == 1)
            #expect(rejected.output.hasSuffix("✓ A is enabled on 1 client.\n"))
            #expect(rejected.errors.contains("Client refusing1 rejected the command: The app does not allow viewers"))
            #expect(rejected.errors.contains("1 of 2 clients did not execute the command."))
            #expect(allowing.service.scenarioStates["A"] == true && refusing.service.scenarioStates["A"] == false)
            let transport = try FileTelemetryTransport(directory: store)
            try await transport.createTelemetryClient(clientId: "asleep", isEnabled: true)
            let late = try await ToolProcess.run(
                "pause", "--where", "clientId=asleep", "--wait", "50ms", "--yes", "-d", store.path)
            #expect(late.code == 75)
            #expect(late.errors.contains("No answer within 50ms: asleep. Their commands stay pending"), "\(late.errors)")
            let unwaited = try await ToolProcess.run(
                "pause", "--where", "clientId=asleep", "--no-wait", "--yes", "-d", store.path)
            #expect(unwaited.code == 0 && unwaited.output.contains("Sent to 1 client."))
        }
    }

    @Test("A scenario that no client has gets the first names of the others, and their number")
    func manyScenarios() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            try await transport.createTelemetryClient(clientId: "a", isEnabled: true)
            try await transport.createScenarios(
                (1...10).map { .init(clientId: "a", scenarioName: "S\($0)", isEnabled: false) })
            let result = try await ToolProcess.run("enable", "--all", "X", "--for", "1h", "--yes", "-d", folder.path)
            #expect(result.errors.hasSuffix(" Scenarios: S1, S10, S2, S3, S4, S5, S6, S7 and 2 more.\n"), "\(result.errors)")
        }
    }

    @Test(
        "Invalid combinations are usage errors",
        arguments: [
            ["enable"], ["enable", "k7wq", "A", "--all"], ["enable", "--all", "--where", "clientId=a"],
            ["pause", "k7wq", "--all"],
            ["pause", "k7wq", "--yes"], ["enable", "k7wq", "A", "--dry-run"], ["reset", "k7wq"], ["reset", "--all"],
            ["enable", "--all", "--for", "1h"], ["disable", "--where", "nonsense"], ["resume"],
        ])
    func invalid(arguments: [String]) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let result = try await ToolProcess.run(arguments + ["-d", folder.path])
            #expect(result.code == 64, "\(result.errors)")
        }
    }
}
