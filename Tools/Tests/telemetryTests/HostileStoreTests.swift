import Foundation
import Programs
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// Tests with hostile contents of a store.
struct HostileStoreTests {
    private static let controls = "\u{1B}[2J\u{7}\r\u{9B}31m\u{202E}\u{2028}\u{E0041}end"
    private static let plain = ["TERM": "xterm", "NO_COLOR": "1"]

    private func fill(_ store: URL) async throws {
        let transport = try FileTelemetryTransport(directory: store)
        try await transport.createTelemetryClient(clientId: "k7wq", isEnabled: true)
        try await transport.createScenarios([.init(clientId: "k7wq", scenarioName: Self.controls, isEnabled: true)])
        for session in ["s", "t"] {
            try await transport.append([
                event(0, session, Self.controls), event(UInt64(Int64.max), session, Self.controls),
                event(1, session, "telemetry.dropped", ["overflow": .int(.max), Self.controls: 1]),
            ])
        }
    }

    private func event(
        _ sequence: UInt64, _ session: String, _ name: String, _ attributes: [String: TelemetryValue] = [:]
    ) -> TelemetryEvent {
        TelemetryEvent(
            clientId: "k7wq", sessionId: session, sequence: sequence, name: name, property1: Self.controls,
            attributes: attributes)
    }

    private func hasControls(_ text: some StringProtocol) -> Bool {
        text.unicodeScalars.contains { scalar in
            scalar != "\n" && [.control, .format, .lineSeparator].contains(scalar.properties.generalCategory)
        }
    }

    @Test(
        "Overflowing numbers do not crash a command, and control characters are escaped",
        arguments: [
            ["stats"], ["sessions"], ["doctor"], ["clients"], ["scenarios"], ["events"], ["events", "--format", "json"],
            ["export", "-"],
        ])
    func commands(arguments: [String]) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            try await fill(folder)
            let result = try await ToolProcess.run(arguments + ["-d", folder.path])
            #expect(result.code == 0, "\(result.errors)")
            #expect(!result.output.isEmpty)
            #expect(!hasControls(result.output))
            #expect(!hasControls(result.errors))
        }
    }

    @Test("JSON with control characters decodes as the stored text")
    func json() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try await fill(store)
            let result = try await ToolProcess.run("events", "--format", "json", "--limit", "1", "-d", store.path)
            let event = try JSONDecoder().decode(TelemetryEvent.self, from: Data(result.output.utf8))
            #expect(event.property1 == Self.controls)
            let archive = folder.appendingPathComponent("archive")
            let copy = folder.appendingPathComponent("copy")
            #expect(try await ToolProcess.run("export", archive.path, "-d", store.path).code == 0)
            #expect(try await ToolProcess.run("import", archive.path, "-d", copy.path).code == 0)
            let imported = try FileTelemetryTransport(directory: copy)
            #expect(try await imported.fetchScenarios().map(\.scenarioName) == [Self.controls])
            #expect(try await imported.countEvents() == 6)
        }
    }

    @Test("CSV in a pipe contains the unescaped text, quoted as in RFC 4180")
    func csvInPipe() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            try await fill(folder)
            let result = try await ToolProcess.run(
                "events", "--format", "csv", "--columns", "text", "--limit", "1", "-d", folder.path)
            #expect(result.output == "text\r\n\"\(Self.controls)\"\r\n")
        }
    }

    @Test("CSV on a terminal escapes control characters")
    func csvOnTerminal() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            try await fill(folder)
            let terminal = try PseudoTerminal(columns: 200, rows: 24)
            let tool = try await terminal.start(
                ["events", "--format", "csv", "--columns", "text", "--limit", "1", "-d", folder.path], environment: Self.plain)
            let shown = try await terminal.text { $0.contains("end") }
            #expect(shown.contains("\\u{1B}[2J\\u{7}\\r\\u{9B}31m\\u{202E}\\u{2028}\\u{E0041}end"))
            #expect(!hasControls(shown.filter { $0 != "\r\n" && $0 != "\r" }))
            try await tool.end()
        }
    }

    @Test("The full screen draws events with overflowing numbers")
    func watch() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            try await fill(folder)
            let terminal = try PseudoTerminal(columns: 200, rows: 24)
            let tool = try await terminal.start(["watch", "-d", folder.path], environment: Self.plain)
            terminal.closeOther()
            let screen = try await terminal.text { $0.contains("9,223,372,036,854,775,807 dropped") && $0.contains("6 events") }
            #expect(screen.contains("missing"))
            terminal.write("q")
            _ = try await terminal.text { $0.contains("\u{1B}[?1049l") }
            #expect(try await tool.end().code != nil)
        }
    }

    @Test("An import skips and counts an event that the store rejects, and stores the others")
    func oversizedEvent() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let large = FileTelemetryTransport.Configuration(maximumEventBytes: 4 << 20)
            let transport = try FileTelemetryTransport(directory: store, configuration: large)
            for sequence in 0..<9 as Range<UInt64> {
                try await transport.append([
                    event(sequence, "s", sequence == 4 ? String(repeating: "x", count: 2 << 20) : "small")
                ])
            }
            let archive = folder.appendingPathComponent("archive.jsonl")
            #expect(try await ToolProcess.run("export", archive.path, "-d", store.path).code == 0)
            let copy = folder.appendingPathComponent("copy")
            let result = try await ToolProcess.run("import", archive.path, "-d", copy.path)
            #expect(result.code == 65)
            #expect(result.errors.contains("1 event"))
            #expect(try await FileTelemetryTransport(directory: copy).countEvents() == 8)
        }
    }

    @Test("A manifest or record of tens of gigabytes is not read into memory")
    func hugeFiles() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            try await fill(folder)
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("records/Other"), withIntermediateDirectories: true)
            for path in ["records/Other/a.json", "format.json"] {
                let url = folder.appendingPathComponent(path)
                if path != "format.json" { try Data().write(to: url) }
                let handle = try FileHandle(forUpdating: url)
                try handle.truncate(atOffset: 40 << 30)
                try handle.close()
                let result = try await ToolProcess.run("doctor", "-d", folder.path)
                #expect(result.code < 128, "\(result.errors)")
            }
        }
    }
}
