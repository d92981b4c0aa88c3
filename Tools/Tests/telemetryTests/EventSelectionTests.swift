import Foundation
import Programs
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

@testable import ViewerKit

/// Tests of the events that `telemetry events` and other commands select.
struct EventSelectionTests {
    private static func fill(_ store: URL) async throws {
        let transport = try FileTelemetryTransport(directory: store)
        for (index, client) in ["web-1", "web-2", "mail"].enumerated() {
            try await transport.createTelemetryClient(clientId: client, isEnabled: true)
            try await transport.append(
                (1...4).map { (number: UInt64) in
                    TelemetryEvent(
                        clientId: client, sessionId: "session \(index)", sequence: number, name: "\(client) \(number)",
                        property1: number == 3 ? "timed out" : "fine", scenario: "A")
                })
        }
        try await transport.createScenarios([.init(clientId: "mail", scenarioName: "A", isEnabled: false)])
    }

    private func names(_ arguments: [String]) async throws -> [String] {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try await Self.fill(store)
            let result = try await ToolProcess.run(
                ["events", "-o", "csv", "--columns", "name", "-d", store.path] + arguments)
            #expect(result.code == 0, "\(result.errors)")
            return result.output.split(separator: "\r\n").dropFirst().map(String.init)
        }
    }

    @Test(
        "Clients, texts and expressions select events, and surrounding events are shown on request",
        arguments: [
            (["-c", "web-1", "-c", "mail", "--grep", "timed"], ["web-1 3", "mail 3"]),
            (["-c", "web-*", "-n", "1"], ["web-2 4"]),
            (["--client", "web-?", "--exclude", "fine"], ["web-1 3", "web-2 3"]),
            (["-c", "m", "-s", "A", "--tail", "2"], ["mail 3", "mail 4"]),
            (["--grep", "^(web|mail).* [12]$", "--regex", "--exclude", "2$", "-c", "*"], ["web-1 1", "web-2 1", "mail 1"]),
            (["--grep", "mail", "--grep", "TIMED"], ["mail 3"]),
            (["-c", "mail", "--grep", "timed", "--around", "1"], ["mail 2", "mail 3", "mail 4"]),
            (["-c", "mail", "--grep", "timed", "-C", "9", "--limit", "2"], ["mail 1", "mail 2"]),
        ] as [([String], [String])])
    func selection(arguments: [String], expected: [String]) async throws {
        #expect(try await names(arguments) == expected)
    }

    @Test("With several clients and a limit, the cursor continues after the last printed event")
    func cursor() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try await Self.fill(store)
            let file = folder.appendingPathComponent("cursor").path
            var all: [Substring] = []
            for _ in 1...4 {
                let result = try await ToolProcess.run(
                    "events", "-c", "web-*", "--limit", "3", "--cursor-file", file, "-o", "csv", "--columns", "name", "-d",
                    store.path)
                all += result.output.split(separator: "\r\n").dropFirst()
            }
            #expect(all == ["web-1 1", "web-1 2", "web-1 3", "web-1 4", "web-2 1", "web-2 2", "web-2 3", "web-2 4"])
        }
    }

    @Test("Statistics and exports include all selected clients")
    func others() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try await Self.fill(store)
            let stats = try await ToolProcess.run("stats", "-c", "web-1", "-c", "mail", "-d", store.path)
            #expect(stats.lines.contains("8 events in 2 sessions"))
            let one = try await ToolProcess.run("stats", "-c", "mail", "--grep", "x", "-d", store.path)
            #expect(one.code == 64)
            let export = try await ToolProcess.run("export", "-", "-c", "web-*", "-d", store.path)
            #expect(export.lines.filter { $0.contains("\"eventName\"") }.count == 8)
            #expect(export.lines.filter { $0.contains("\"TelemetryClient\"") }.count == 2)
            #expect(!export.output.contains("mail"))
        }
    }

    @Test(
        "Filters that cannot match are reported",
        arguments: [
            (["-c", "mailbox"], 0, "No client \"mailbox\". Clients: mail, web-1, web-2."),
            (["-c", "x*"], 0, "No client matches \"x*\". Clients: mail, web-1, web-2."),
            (["-c", "web"], 66, "\"web\" is ambiguous: web-1, web-2. Give a longer prefix."),
            (["-s", "B"], 0, "No client has a scenario \"B\" now. Scenarios: A."),
            (["--grep", "(", "--regex"], 65, "\"(\" is not a valid regular expression."),
            (["--regex"], 64, "--regex requires --grep or --exclude."),
            (["--around", "1"], 64, "--around requires --grep, --exclude or --severity."),
            (["--follow", "--until", "2026-01-01"], 64, "--follow cannot be used with an --until date in the past."),
        ] as [([String], Int32, String)])
    func messages(arguments: [String], code: Int32, message: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try await Self.fill(store)
            let result = try await ToolProcess.run(["events", "-d", store.path] + arguments)
            #expect(result.code == code)
            #expect(result.errors.contains(message), "\(result.errors)")
        }
    }

    @Test("A client that the store does not contain is noted, and nothing is printed", arguments: ["nobody", "no*"])
    func unknownClient(client: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try await Self.fill(store)
            let result = try await ToolProcess.run("events", "-c", client, "-d", store.path)
            #expect(result.code == 0)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("\"\(client)\". Clients: mail, web-1, web-2."), "\(result.errors)")
            let counted = try await ToolProcess.run("stats", "-c", client, "-d", store.path)
            #expect(counted.code == 66)
        }
    }

    @Test("--follow prints the events of a client that appears later", arguments: ["late-1", "late-?"])
    func followedClient(client: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try await Self.fill(store)
            let tool = try await RunningTool.start([
                "events", "--follow", "-c", client, "-c", "mail", "--grep", "4", "-o", "csv", "--columns", "name", "-d",
                store.path,
            ])
            #expect(await tool.output.first { $0 == "mail 4" } != nil)
            let transport = try FileTelemetryTransport(directory: store)
            try await transport.append([TelemetryEvent(clientId: "other", sessionId: "o", name: "other 4")])
            try await transport.append([TelemetryEvent(clientId: "late-1", sessionId: "l", name: "late 4")])
            #expect(await tool.output.next() == "late 4")
            tool.interrupt()
            try await tool.ended()
        }
    }

    @Test("An expression that takes too long ends the command with a message", arguments: ["--grep", "--exclude"])
    func slowExpression(option: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            let text = String(repeating: "a", count: 60) + "b"
            try await transport.append([TelemetryEvent(clientId: "a", sessionId: "s", name: "n", property1: text)])
            let result = try await ToolProcess.run("events", option, "(a+)+$", "--regex", "-d", folder.path)
            #expect(result.code == 65)
            #expect(result.errors.contains("The regular expression \"(a+)+$\" takes too long to search for."), "\(result.errors)")
        }
    }

    @Test("A text of any length is searched completely")
    func longText() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            let text = String(repeating: "x", count: 100_000) + "end"
            try await transport.append([TelemetryEvent(clientId: "a", sessionId: "s", name: "n", property1: text)])
            let result = try await ToolProcess.run(
                "events", "--grep", "END$", "--regex", "-o", "csv", "--columns", "name", "-d", folder.path)
            #expect(result.output == "name\r\nn\r\n", "\(result.errors)")
        }
    }

    @Test("A search backwards shows its progress on a terminal, and nothing of it in a pipe")
    func progress() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try await Self.fill(store)
            let search = ["events", "--grep", "web-1 1", "-n", "1", "-o", "csv", "--columns", "name", "-d", store.path]
            let piped = try await ToolProcess.run(search)
            #expect(piped.output == "name\r\nweb-1 1\r\n")
            #expect(piped.errors.isEmpty)
            let terminal = try PseudoTerminal(columns: 80, rows: 24)
            let tool = try await terminal.start(search, environment: ["XDG_CONFIG_HOME": ToolProcess.noConfiguration])
            terminal.closeOther()
            let screen = try await terminal.text { $0.contains("web-1 1") }
            #expect(screen.contains("\r\u{1B}[K… 7 events searched, back to 20"), "\(screen)")
            #expect(screen.contains("; 0 found\r\u{1B}[Kname"), "\(screen)")
            #expect(try await tool.end() == .exited(0))
        }
    }

    @Test("A wide table has every column")
    func wide() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try await Self.fill(store)
            let result = try await ToolProcess.run("events", "-o", "wide", "-n", "1", "-d", store.path)
            let columns = result.lines.first?.split(separator: " ").map(String.init)
            #expect(columns == EventColumn.allCases.filter { $0 != .time }.map { $0.rawValue.uppercased() })
        }
    }

    @Test(
        "Patterns match as in a shell",
        arguments: [
            ("web-*", "web-1", true), ("*", "", true), ("?", "", false), ("*a*b", "xaxxb", true), ("*a*b", "xaxxbc", false),
            ("a?c", "abc", true), ("a?c", "abbc", false), ("**", "x", true), ("", "x", false),
        ] as [(String, String, Bool)])
    func pattern(pattern: String, text: String, isMatch: Bool) {
        #expect(text.matches(pattern: pattern) == isMatch)
    }
}
