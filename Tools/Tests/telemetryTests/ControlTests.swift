import Foundation
import TelemetryLifecycle
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

@MainActor
struct ControlTests {
    @Test("Approving waits for the client's answer and prints it")
    func approve() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let client = try await TestClient(store: store, identifier: "k7wq-first")
            let result = try await ToolProcess.run("approve", "k7", "-d", store.path)
            #expect(result.code == 0, "\(result.errors)")
            #expect(result.output.hasPrefix("✓ Client k7wq-first is approved. (answered in "))
            #expect(client.service.status == .enabled)
        }
    }

    @Test("A viewer pauses and resumes a client, but cannot end a pause of the app")
    func pause() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let client = try await TestClient(store: store, identifier: "k7wq")
            _ = try await ToolProcess.run("approve", "k7wq", "-d", store.path)
            let paused = try await ToolProcess.run("pause", "k", "-d", store.path)
            #expect(paused.output.hasPrefix("✓ Client k7wq is paused."), "\(paused.errors)")
            #expect(client.service.isPaused)
            let listed = try await ToolProcess.run("clients", "-d", store.path)
            #expect(listed.output.contains("paused"))
            let resumed = try await ToolProcess.run("resume", "k7wq", "-d", store.path)
            #expect(resumed.output.hasPrefix("✓ Client k7wq is resumed."), "\(resumed.errors)")
            #expect(!client.service.isPaused)
            await client.service.pauseTelemetry()
            let refused = try await ToolProcess.run("resume", "k7wq", "-d", store.path)
            #expect(refused.code == 1)
            #expect(refused.errors.contains("only the app can resume it"), "\(refused.errors)")
            #expect(client.service.isPaused)
        }
    }

    @Test("A scenario is enabled and disabled by name, and others stay unchanged")
    func scenario() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let client = try await TestClient(store: store, identifier: "k7wq")
            let approved = try await ToolProcess.run("enable", "k7wq", "-d", store.path)
            #expect(approved.code == 0, "\(approved.errors)")
            let on = try await ToolProcess.run("enable", "k7wq", "A", "-d", store.path)
            #expect(on.output.hasPrefix("✓ A is enabled on client k7wq."))
            #expect(client.service.scenarioStates == ["A": true, "B": false])
            let listed = try await ToolProcess.run("scenarios", "k", "-d", store.path)
            #expect(
                listed.output == """
                    CLIENT  SCENARIO  STATE     LEVEL       TIME LEFT  DECIDED BY
                    k7wq    A         enabled   diagnostic  –          viewer
                    k7wq    B         disabled  –           –          –

                    """)
            let off = try await ToolProcess.run("disable", "k7wq", "A", "-d", store.path)
            #expect(off.output.hasPrefix("✓ A is disabled on client k7wq."))
            #expect(client.service.scenarioStates == ["A": false, "B": false])
        }
    }

    @Test("Ending a client's telemetry is confirmed although the client deletes its commands")
    func disable() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let client = try await TestClient(store: store, identifier: "k7wq")
            _ = try await ToolProcess.run("approve", "k7wq", "-d", store.path)
            let dry = try await ToolProcess.run("disable", "k7wq", "--dry-run", "-d", store.path)
            #expect(dry.output == "Would end the telemetry of client k7wq and delete its 2 scenarios and 0 events.\n")
            let unasked = try await ToolProcess.run("disable", "k7wq", "-d", store.path)
            #expect(unasked.code == 1)
            #expect(
                unasked.errors.hasSuffix("Standard input is not interactive; pass --yes to proceed or --dry-run to preview.\n"))
            #expect(client.service.status == .enabled)
            let result = try await ToolProcess.run("disable", "k7wq", "--yes", "-d", store.path)
            #expect(result.code == 0, "\(result.errors)")
            // The service shows its new status after it has stored the command's result.
            await client.service.reconcile()
            #expect(client.service.status == .disabled)
            let clients = try await ToolProcess.run("clients", "-d", store.path)
            #expect(clients.errors == "No clients yet. A client requests approval when its user opts in to telemetry.\n")
        }
    }

    @Test("A client that does not answer leaves exit code 75 and a pending command")
    func unanswered() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let transport = try FileTelemetryTransport(directory: store)
            try await transport.createTelemetryClient(clientId: "asleep", isEnabled: false)
            let result = try await ToolProcess.run("approve", "asleep", "--wait", "50ms", "-d", store.path)
            #expect(result.code == 75)
            #expect(
                result.errors == """
                    telemetry: Client asleep did not answer within 50ms. The command stays pending; see: telemetry commands

                    """)
            let noWait = try await ToolProcess.run("approve", "asleep", "--no-wait", "-d", store.path)
            #expect(noWait.code == 0)
            #expect(try await transport.fetchPendingCommands(for: "asleep").count == 2)
        }
    }

    @Test("Errors for unknown and ambiguous names list the candidates")
    func unknown() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let transport = try FileTelemetryTransport(directory: store)
            for name in ["ka", "kb"] { try await transport.createTelemetryClient(clientId: name, isEnabled: true) }
            try await transport.createScenarios([.init(clientId: "ka", scenarioName: "FileRead", isEnabled: false)])
            func error(_ arguments: String...) async throws -> String {
                let result = try await ToolProcess.run(arguments + ["-d", store.path])
                #expect(result.code == 66)
                return result.errors
            }
            #expect(try await error("approve", "x") == "telemetry: No client \"x\". Clients: ka, kb.\n")
            #expect(
                try await error("approve", "k") == "telemetry: \"k\" is ambiguous: ka, kb. Give a longer prefix.\n"
            )
            #expect(
                try await error("enable", "ka", "fileread")
                    == "telemetry: Client \"ka\" has no scenario \"fileread\". Scenarios: FileRead.\n")
            #expect(
                try await error("enable", "kb", "A")
                    == "telemetry: Client \"kb\" has no scenario \"A\". It has no scenarios now.\n")
        }
    }

    @Test("The reason of a failed command is printed")
    func failed() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let transport = try FileTelemetryTransport(directory: store)
            try await transport.createTelemetryClient(clientId: "failing", isEnabled: false)
            try await transport.createCommandSubscription(for: "failing")
            let notifications = transport.notifications()
            // A client that fails every command.
            let refusing = Task {
                for await _ in notifications {
                    for command in try await transport.fetchPendingCommands(for: "failing") {
                        let id = try #require(command.recordID)
                        try await transport.updateCommandStatus(recordID: id, status: .failed, errorMessage: "not today")
                    }
                }
            }
            let result = try await ToolProcess.run("approve", "failing", "-d", store.path)
            refusing.cancel()
            #expect(result.code == 1)
            #expect(result.errors == "telemetry: Client failing failed to execute the command: not today\n")
        }
    }
}
