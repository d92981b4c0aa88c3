import Foundation
import Programs
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
@_spi(Tooling) import TelemetryTestSupport
import Testing

/// Tests of the tool with a scripted relay.
struct RelayStoreTests {
    private func withRelay(
        role: String = "viewer", token: String? = nil, _ body: (ScriptedRelay, URL) async throws -> Void
    ) async throws {
        let relay = try ScriptedRelay(role: role, token: token)
        defer { relay.stop() }
        relay.addClient("k7wq", isEnabled: true)
        relay.addClient("other", isEnabled: false)
        relay.addScenario("FileRead", of: "k7wq")
        relay.addEvents("first", "second")
        try await withTemporaryDirectory(isCreated: true) { folder in try await body(relay, folder) }
    }

    private func tokenFile(_ text: String, in folder: URL, mode: Int = 0o600) throws -> String {
        let url = folder.appendingPathComponent("token")
        try Data(text.utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
        return url.path
    }

    @Test("The counts of scenarios have the limits of the relay's rules, and how much the relay stores")
    func retention() async throws {
        try await withRelay { relay, _ in
            relay.addEvents("third", "fourth", "fifth", scenario: "FileRead")
            let table = try await ToolProcess.run("stats", "--relay", relay.url)
            let columns = table.lines.prefix(3).map { $0.split(separator: " ").map(String.init) }
            #expect(columns[0].suffix(4) == ["KEPT", "FOR", "SIZE", "UNTIL"])
            #expect(columns[1].first == "FileRead" && columns[1].dropLast(2).suffix(3) == ["1d,100MB", "1.2", "MB"])
            #expect(columns[2].first == "–" && columns[2].suffix(4) == ["30d", "700", "B", "–"])
            #expect(table.lines.count { $0.contains("KEPT FOR") } == 1)
            let narrow = try await ToolProcess.run("stats", "--scenario", "FileRead", "--relay", relay.url)
            #expect(narrow.lines[0].contains("KEPT FOR") && !narrow.lines[0].contains("SIZE"))
            let objects = try await ToolProcess.run("stats", "-o", "json", "--relay", relay.url)
            let stored = #""storedBytes":1300000,"lastExpires":"2026-11-22T03:00:00.000Z"}"#
            #expect(
                objects.lines[0].hasSuffix(#","maximumAge":86400,"maximumBytes":104857600,\#(stored)"#), "\(objects.output)")
            #expect(objects.lines[1].hasSuffix(#","maximumAge":2592000,"storedBytes":700}"#), "\(objects.output)")
            #expect(objects.lines.count { $0.contains("maximum") } == 2)
        }
    }

    @Test("Clients, scenarios, commands, sessions and counts are listed")
    func listings() async throws {
        try await withRelay { relay, _ in
            let clients = try await ToolProcess.run("clients", "--relay", relay.url)
            #expect(clients.code == 0, "\(clients.errors)")
            #expect(clients.lines.map { $0.split(separator: " ").first } == ["CLIENT", "k7wq", "other"])
            let objects = try await ToolProcess.run("clients", "-o", "json", "--relay", relay.url)
            #expect(objects.lines.first?.contains(#""lastSeen":"2026-11-21T03:00:00.123Z""#) == true, "\(objects.output)")
            #expect(relay.requests.contains { $0.head.contains("client=k7wq&order=desc&limit=1") })
            let scenarios = try await ToolProcess.run("scenarios", "k7", "--relay", relay.url)
            #expect(scenarios.lines.last?.hasPrefix("k7wq    FileRead  disabled") == true, "\(scenarios.output)")
            for command in ["commands", "sessions", "stats", "schema"] {
                let result = try await ToolProcess.run(
                    [command, "--relay", relay.url] + (command == "schema" ? ["--check"] : []))
                #expect(result.code == 0, "\(command): \(result.errors)")
            }
        }
    }

    @Test("A command is sent, and its answer is printed")
    func control() async throws {
        try await withRelay { relay, _ in
            let approved = try await ToolProcess.run("approve", "other", "--relay", relay.url)
            #expect(approved.output.hasPrefix("✓ Client other is approved. (answered in "), "\(approved.errors)")
            let enabled = try await ToolProcess.run("enable", "k7", "FileRead", "--relay", relay.url)
            #expect(enabled.output.hasPrefix("✓ FileRead is enabled on client k7wq."), "\(enabled.errors)")
            let listed = try await ToolProcess.run("commands", "--relay", relay.url)
            #expect(listed.lines.count == 3)
        }
    }

    @Test("Events are printed, and a cursor continues after the last one")
    func events() async throws {
        try await withRelay { relay, folder in
            let position = folder.appendingPathComponent("position").path
            let arguments = ["events", "--format", "csv", "--columns", "name", "--cursor-file", position, "--relay", relay.url]
            let first = try await ToolProcess.run(arguments)
            #expect(first.output == "name\r\nfirst\r\nsecond\r\n", "\(first.errors)")
            #expect(relay.requests.allSatisfy { $0.header("Telemetry-Purpose") == nil })
            relay.addEvents("third")
            let second = try await ToolProcess.run(arguments)
            #expect(second.output == "name\r\nthird\r\n", "\(second.errors)")
        }
    }

    @Test("--follow continues when the relay is reachable again")
    func follow() async throws {
        try await withRelay { relay, _ in
            let tool = try await RunningTool.start([
                "events", "--follow", "--format", "csv", "--columns", "name", "--relay", relay.url,
            ])
            #expect(await tool.output.first { $0 == "second" } != nil)
            relay.interruptReaders(true)
            relay.addEvents("third")
            relay.interruptReaders(false)
            #expect(await tool.output.first { $0 == "third" } != nil)
            tool.interrupt()
            #expect(try await tool.ended().code == 0)
        }
    }

    @Test("A store is copied from one relay to another by export and import")
    func archive() async throws {
        try await withRelay { relay, folder in
            let file = folder.appendingPathComponent("archive").path
            let exported = try await ToolProcess.run("export", file, "--relay", relay.url)
            #expect(exported.errors == "Exported 3 records and 2 events.\n")
            let reads = relay.requests.filter { $0.path == "/v1/events" }
            #expect(!reads.isEmpty)
            #expect(reads.allSatisfy { $0.header("Telemetry-Purpose") == "export" })
            #expect(relay.requests.allSatisfy { $0.path == "/v1/events" || $0.header("Telemetry-Purpose") == nil })
            let other = try ScriptedRelay()
            defer { other.stop() }
            let imported = try await ToolProcess.run("import", file, "--relay", other.url)
            #expect(imported.output == "Imported 3 records and 2 events.\n", "\(imported.errors)")
            #expect(other.eventNames == ["first", "second"])
            let clients = try await ToolProcess.run("clients", "--relay", other.url)
            #expect(clients.lines.count == 3)
        }
    }

    @Test("doctor describes the relay, and checks its store")
    func doctor() async throws {
        try await withRelay(token: "secret") { relay, folder in
            let file = try tokenFile("secret\n", in: folder)
            let result = try await ToolProcess.run("doctor", "--relay", relay.url, "--token-file", file)
            #expect(result.code == 0, "\(result.errors)")
            for text in [
                "✓ the relay answers: telemetry-relay 9.9, interface 1", "✓ the token from \(file) has the role viewer",
                "✓ the relay's storage is ready", "✓ all records match the schema",
            ] { #expect(result.output.contains("\(text)\n"), "\(result.output)") }
            #expect(!result.output.contains("secret"))
            let wrong = try await ToolProcess.run("doctor", "--relay", relay.url)
            #expect(wrong.code == 1)
            #expect(wrong.output.contains("✗ The relay at \(relay.url) requires a token."), "\(wrong.output)")
        }
    }

    @Test("The token of a file or of the environment is sent, and a file that other users can read is not used")
    func tokens() async throws {
        try await withRelay(token: "secret") { relay, folder in
            let file = try tokenFile("secret\n", in: folder)
            #expect(try await ToolProcess.run("clients", "--relay", relay.url, "--token-file", file).code == 0)
            let environment = ["LIVE_TELEMETRY_TOKEN": "secret"]
            #expect(try await ToolProcess.run("clients", "--relay", relay.url, environment: environment).code == 0)
            let count = relay.requests.count
            let open = try tokenFile("secret\n", in: folder, mode: 0o644)
            let refused = try await ToolProcess.run("clients", "--relay", relay.url, "--token-file", open)
            #expect(refused.code == 77)
            #expect(refused.errors.contains("Other users of this machine can access the token file \(open)"))
            #expect(relay.requests.count == count)
        }
    }

    @Test("Failures are explained")
    func failures() async throws {
        try await withRelay(token: "secret") { relay, _ in
            let missing = try await ToolProcess.run("clients", "--relay", relay.url)
            #expect(missing.code == 77)
            #expect(
                missing.errors == "telemetry: The relay at \(relay.url) requires a token. "
                    + "Use --token-file FILE or set LIVE_TELEMETRY_TOKEN.\n")
            let wrong = try await ToolProcess.run(
                "clients", "--relay", relay.url, environment: ["LIVE_TELEMETRY_TOKEN": "old-token"])
            #expect(wrong.code == 77)
            #expect(wrong.errors.contains("does not accept the token from LIVE_TELEMETRY_TOKEN"))
            #expect(!wrong.errors.contains("old-token"))
        }
        try await withRelay(role: "reader") { relay, _ in
            let reader = try await ToolProcess.run("approve", "other", "--relay", relay.url)
            #expect(reader.code == 77)
            #expect(reader.errors.contains("has the role reader, which may only read."), "\(reader.errors)")
            #expect(try await ToolProcess.run("clients", "--relay", relay.url).code == 0)
        }
        let (url, socket) = try LoopbackServer.refusingURL()
        defer { withExtendedLifetime(socket) {} }
        let unreachable = try await ToolProcess.run("clients", "--relay", url.absoluteString)
        #expect(unreachable.code == 69)
        #expect(unreachable.errors.hasPrefix("telemetry: The relay at \(url.absoluteString) cannot be reached: "))
        let page = try LoopbackServer(.answers(200, headers: ["Content-Type": "text/html"], body: "<html></html>"))
        defer { page.stop() }
        let foreign = try await ToolProcess.run("clients", "--relay", page.baseURL.absoluteString)
        #expect(foreign.code == 69)
        #expect(foreign.errors.contains("but is not a LiveTelemetry relay. Check the URL."), "\(foreign.errors)")
    }

    @Test("An invalid cursor is reported with advice")
    func cursor() async throws {
        try await withRelay { relay, _ in
            let result = try await ToolProcess.run("events", "--after", "x", "--relay", relay.url)
            #expect(result.code == 65)
            #expect(result.errors.hasSuffix("To start from the beginning, omit --after.\n"), "\(result.errors)")
        }
    }

    @Test("commands cancel works over a relay with the role viewer, and is refused with the role reader")
    func cancel() async throws {
        for (role, code, left) in [("viewer", Int32(0), 0), ("reader", 77, 1)] {
            try await withRelay(role: role) { relay, _ in
                relay.addPendingCommand("c1", to: "k7wq")
                let result = try await ToolProcess.run("commands", "cancel", "c1", "--yes", "--relay", relay.url)
                #expect(result.code == code, "\(result.errors)")
                let pending = try await ToolProcess.run("commands", "--pending", "-o", "json", "--relay", relay.url)
                #expect(pending.lines.count == left)
            }
        }
    }
}
