import Foundation
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct ContextCommandTests {
    @Test("A context is added, listed, used, shown and removed")
    func life() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let environment = ["XDG_CONFIG_HOME": folder.path]
            func run(_ arguments: String..., input: String = "") async throws -> ToolProcess.Result {
                try await ToolProcess.run(arguments, environment: environment, input: input)
            }
            let store = folder.appendingPathComponent("store").path
            try await FileTelemetryTransport(directory: URL(fileURLWithPath: store))
                .createTelemetryClient(clientId: "k7wq", isEnabled: true)
            #expect(try await run("context", "list").errors.hasPrefix("No contexts."))
            #expect(try await run("context", "add", "here", "--directory", store).output == "✓ Added the context here.\n")
            #expect(try await run("clients").code == 64)
            #expect(try await run("clients", "--context", "here").lines.count == 2)
            #expect(try await run("context", "use", "here").output == "✓ The current context is here.\n")
            #expect(try await run("clients").lines.count == 2)
            let added = try await run(
                "context", "add", "prod", "--relay", "http://127.0.0.1:1/", "--token-stdin", input: "secret\n")
            #expect(added.code == 0, "\(added.errors)")
            let list = try await run("context", "list")
            #expect(
                list.lines.map { $0.split(separator: " ").prefix(2) } == [
                    ["CONTEXT", "STORE"], ["*", "here"], ["prod", "http://127.0.0.1:1"],
                ])
            let file = folder.appendingPathComponent("live-telemetry/token-prod").path
            let json = try await run("context", "list", "--format", "json").output
            let objects = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
            #expect(objects?.map { $0["name"] as? String } == ["here", "prod"])
            #expect(objects?.map { $0["current"] as? Bool } == [true, false])
            #expect(objects?.last?["tokenFile"] as? String == file)
            #expect(!json.contains("secret"))
            #expect(try await run("context", "show", "prod").output.contains("token file: \(file)\n"))
            #expect(try await run("context", "remove", "here").errors.hasPrefix("It was the current context."))
            #expect(try await run("clients").code == 64)
            #expect(try await run("context", "remove", "here").code == 66)
            #expect(try await run("context", "show").code == 66)
        }
    }

    @Test("LIVE_TELEMETRY_CONTEXT selects a context, and an option precedes it")
    func variable() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            for name in ["one", "two"] {
                let store = folder.appendingPathComponent(name)
                try await FileTelemetryTransport(directory: store).createTelemetryClient(
                    clientId: "client-\(name)", isEnabled: true)
                let added = try await ToolProcess.run(
                    "context", "add", name, "-d", store.path, environment: ["XDG_CONFIG_HOME": folder.path])
                #expect(added.code == 0)
            }
            let environment = ["XDG_CONFIG_HOME": folder.path, "LIVE_TELEMETRY_CONTEXT": "one"]
            #expect(try await ToolProcess.run("clients", environment: environment).output.contains("client-one"))
            let other = try await ToolProcess.run("clients", "--context", "two", environment: environment)
            #expect(other.output.contains("client-two"))
            let unknown = try await ToolProcess.run("clients", "--context", "three", environment: environment)
            #expect(unknown.code == 66)
            #expect(unknown.errors == "telemetry: No context \"three\". Contexts: one, two.\n")
        }
    }

    @Test(
        "Contradictory and missing options are usage errors",
        arguments: [
            (["clients", "-d", "a", "--relay", "http://a"], "Give --directory or --relay, not both."),
            (["clients", "-d", "a", "--token-file", "t"], "--token-file requires --relay"),
            (["clients", "--relay", "nowhere"], "is not a relay's URL"),
            (["context", "add", "a"], "Give --relay URL or --directory DIR."),
            (["context", "add", "a/b", "-d", "x"], "is not a valid name for a context"),
            (["context", "add", "a", "-d", "x", "--token-stdin"], "--token-stdin requires --relay."),
            (["context", "add", "a", "--relay", "http://a", "--token-stdin", "--token-file", "t"], "not both."),
            (["demo", "--relay", "-d", "x"], "Give --relay or --directory, not both."),
            (["demo", "--relay-executable", "x"], "--relay-executable requires --relay."),
        ])
    func usage(arguments: [String], message: String) async throws {
        let result = try await ToolProcess.run(arguments)
        #expect(result.code == 64)
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    @Test("A context with a token file that is missing, or that others can read, is not added")
    func tokenFile() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let file = folder.appendingPathComponent("token")
            func add() async throws -> ToolProcess.Result {
                try await ToolProcess.run(
                    "context", "add", "a", "--relay", "http://a", "--token-file", file.path,
                    environment: ["XDG_CONFIG_HOME": folder.path])
            }
            #expect(try await add().errors == "telemetry: No token file at \(file.path). Check the path.\n")
            try Data("t".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            #expect(try await add().code == 77)
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("live-telemetry").path))
        }
    }

    @Test("The demo over a relay reports a missing program, and one that ends early")
    func relayExecutable() async throws {
        let missing = try await ToolProcess.run("demo", "--relay", "--relay-executable", "/no/such/relay")
        #expect(missing.code == 66)
        #expect(missing.errors == "telemetry: /no/such/relay is not an executable file.\n")
        let ending = try await ToolProcess.run("demo", "--relay", "--relay-executable", "/bin/false")
        #expect(ending.code == 1)
        #expect(ending.errors.hasPrefix("telemetry: The relay failed to create a token"), "\(ending.errors)")
    }
}
