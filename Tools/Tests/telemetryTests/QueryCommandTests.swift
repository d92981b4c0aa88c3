import Foundation
import Programs
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
@_spi(Tooling) import TelemetryTestSupport
import TelemetryTransport
import Testing

struct QueryCommandTests {
    private func withStore(_ body: (_ path: String) async throws -> Void) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            try await transport.append(
                [200, 503, 503, 500].enumerated().map { index, status in
                    TelemetryEvent(
                        clientId: index < 3 ? "a" : "b", sessionId: "s", sequence: UInt64(index + 1), name: "n\(index)",
                        timestamp: Date(timeIntervalSince1970: TimeInterval(index)), attributes: ["status": .int(Int64(status))])
                })
            try await body(folder.path)
        }
    }

    @Test(
        "A query is answered in each format",
        arguments: [
            ("json", ["{\"status\":\"503\",\"none\":null,\"n\":2}", "{\"status\":\"500\",\"none\":null,\"n\":1}"]),
            ("csv", ["status,none,n\r\n503,,2\r\n500,,1\r"]),
            ("table", ["STATUS  NONE  N", "503        –  2", "500        –  1"]),
            (
                "chart",
                [
                    "n", "503  " + String(repeating: "█", count: 72) + " 2",
                    "500  " + String(repeating: "█", count: 36) + " 1",
                ]
            ),
        ])
    func formats(format: String, expected: [String]) async throws {
        try await withStore { path in
            let groups = format == "chart" ? "status" : "status, none"
            let query = "status:>=500 | stats count() as n by \(groups) | sort by n desc"
            let result = try await ToolProcess.run("query", query, "-o", format, "-d", path)
            #expect(result.code == 0)
            #expect(result.output == expected.map { $0 + "\n" }.joined())
        }
    }

    @Test("Options select the events that are asked about, and --where selects those of other commands")
    func selection() async throws {
        try await withStore { path in
            func count(_ options: String...) async throws -> String {
                try await ToolProcess.run(["query", "| stats count()", "-o", "json", "-d", path] + options).lines.last ?? ""
            }
            #expect(try await count() == #"{"count()":4}"#)
            #expect(try await count("-c", "a") == #"{"count()":3}"#)
            #expect(try await count("-c", "a", "-c", "b", "--name", "n1", "--name", "n3") == #"{"count()":2}"#)
            #expect(try await count("--where", "status:=503") == #"{"count()":2}"#)
            let events = try await ToolProcess.run("events", "--where", "status:=503", "-o", "json", "-d", path)
            #expect(events.lines.count == 2)
            #expect(try await ToolProcess.run("query", "status:=503", "-o", "json", "-d", path).lines == events.lines)
        }
    }

    @Test("While the relay evaluates a query, a terminal shows for how long, and then only the result")
    func progress() async throws {
        let answer = LoopbackStream()
        let server = try LoopbackServer { request in
            request.path == "/v1/query" ? .streams(answer, headers: ["Content-Type": "application/json"]) : .answers(404)
        }
        defer { server.stop() }
        let terminal = try PseudoTerminal(columns: 80, rows: 24)
        let tool = try await terminal.start(
            ["query", "| stats count()", "--relay", server.baseURL.absoluteString],
            environment: ["XDG_CONFIG_HOME": ToolProcess.noConfiguration])
        terminal.closeOther()
        _ = try await terminal.text { $0.hasPrefix("\r\u{1B}[K… waiting for the relay, 1.") && $0.hasSuffix(" s") }
        answer.send(#"{"columns": ["count()"], "rows": [[12]], "matched": 12}"#)
        answer.end()
        let shown = try await terminal.text { $0.contains("12\r\n") }
        #expect(shown.hasSuffix("\r\u{1B}[KCOUNT()\r\n     12\r\n"))
        #expect(try await tool.end() == .exited(0))
    }

    @Test("delete-events --stored deletes what all filters select, and nothing without one")
    func deletion() async throws {
        try await withStore { path async throws -> Void in
            func delete(_ arguments: String...) async throws -> ToolProcess.Result {
                try await ToolProcess.run(["delete-events", "--stored", "-d", path] + arguments)
            }
            func names() async throws -> [String] {
                try await FileTelemetryTransport(directory: URL(filePath: path)).events(matching: .all, after: nil, limit: 10)
                    .events.map(\.name)
            }
            #expect(try await delete("--where", "status:=503", "--dry-run").output == "Would delete 2 stored events.\n")
            #expect(try await delete().code == 64)
            #expect(try await ToolProcess.run("delete-events", "-d", path).code == 64)
            #expect(try await ToolProcess.run("delete-events", "a", "--where", "*", "-y", "-d", path).code == 64)
            #expect(try await delete("a", "-c", "b", "-y").code == 64)
            #expect(try await names() == ["n0", "n1", "n2", "n3"])
            #expect(
                try await delete("a", "--where", "-status:=200", "--name", "n1", "-y").output == "✓ Deleted 1 stored event.\n")
            #expect(try await names() == ["n0", "n2", "n3"])
            #expect(
                try await delete("-c", "a", "-c", "b", "--where", "status:>=500", "-y").output == "✓ Deleted 2 stored events.\n")
            #expect(try await names() == ["n0"])
            #expect(try await delete("--where", "*", "-y").output == "✓ Deleted 1 stored event.\n")
        }
    }

    @Test(
        "A wrong query is shown with a mark under the error's position",
        arguments: [
            (["query", "status:>abc"], "Error: Expected a number or a date.\n  status:>abc\n          ^\n"),
            (["query", "é \"a"], "Error: The quotation is not closed.\n  é \"a\n    ^\n"),
            (["events", "--where", "a | limit 1"], "Error: Expected a filter without pipes.\n  a | limit 1\n    ^\n"),
            (["query", "a", "-o", "chart"], "Error: -o chart requires a query with stats or top.\n"),
        ])
    func errors(arguments: [String], message: String) async throws {
        let result = try await ToolProcess.run(arguments)
        #expect(result.code == 64)
        #expect(result.errors.hasPrefix(message))
    }
}
