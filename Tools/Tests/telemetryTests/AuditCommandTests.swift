import Foundation
import Programs
@_spi(Tooling) import TelemetryTestKit
@_spi(Tooling) import TelemetryTestSupport
import Testing

/// Tests of `telemetry audit` with a scripted audit.
struct AuditCommandTests {
    private static let read =
        #""role":"viewer","address":"10.0.0.7","action":"events.read","client":"web-1","detail":"scenario=Checkout","status":200}"#
    private static let entries = [
        #"{"number":1,"time":"2026-11-28T12:00:00.123Z","token":"alice",\#(read)"#,
        #"{"number":2,"time":"2026-11-28T12:00:01.5Z","token":"bob","role":"reader","address":"10.0.0.8","#
            + #""action":"events.query","client":null,"detail":"query=status:>=500","status":200}"#,
        #"{"number":3,"time":"2026-11-28T12:00:02Z","token":null,"role":null,"address":null,"action":"token.create","client":null,"#
            + #""detail":"carol","status":null}"#,
    ]

    /// A relay whose audit has these entries in pages of two, and which answers nothing else.
    private func withAudit(
        _ entries: [String] = entries, _ body: (LoopbackServer, _ url: String) async throws -> Void
    ) async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/v1/audit" else { return Self.problem(403, "An auditor may only read the audit.") }
            let query = Self.query(of: request)
            let isDescending = query["order"] == ["desc"]
            let ordered = isDescending ? entries.reversed() : entries
            let start = query["after"].flatMap { Int($0[0]) } ?? 0
            let end = min(start + min(2, Int(query["limit"]?[0] ?? "") ?? 2), ordered.count)
            let page = ordered[start..<end].joined(separator: ",")
            return Self.json(200, #"{"entries":[\#(page)],"cursor":"\#(end)","hasMore":\#(end < ordered.count)}"#)
        }
        defer { server.stop() }
        try await body(server, server.baseURL.absoluteString)
    }

    private static func query(of request: LoopbackRequest) -> [String: [String]] {
        let items = URLComponents(string: request.target)?.queryItems ?? []
        return Dictionary(grouping: items, by: \.name).mapValues { $0.map { $0.value ?? "" } }
    }

    private static func json(_ status: Int, _ body: String) -> LoopbackServer.Behaviour {
        .answers(status, headers: ["Content-Type": "application/json"], body: body)
    }

    private static func problem(_ status: Int, _ detail: String) -> LoopbackServer.Behaviour {
        json(status, #"{"status":\#(status),"code":"unauthorized","detail":"\#(detail)"}"#)
    }

    @Test("The newest entries are listed with the oldest of them first, by requests for the audit alone")
    func newest() async throws {
        try await withAudit { server, url in
            let result = try await ToolProcess.run("audit", "--relay", url, environment: ["LIVE_TELEMETRY_TOKEN": "secret"])
            #expect(
                result.output == """
                    TIME                     TOKEN  ROLE    ADDRESS   ACTION        CLIENT      STATUS  DETAIL
                    2026-11-28 12:00:00.123  alice  viewer  10.0.0.7  events.read   web-1          200  scenario=Checkout
                    2026-11-28 12:00:01.500  bob    reader  10.0.0.8  events.query  any client     200  query=status:>=500
                    2026-11-28 12:00:02.000  –      –       –         token.create  –                –  carol

                    """, "\(result.errors)")
            #expect(result.errors.isEmpty)
            #expect(result.code == 0)
            #expect(server.requests.map(\.path) == ["/v1/audit", "/v1/audit"])
            #expect(server.requests.map { Self.query(of: $0)["limit"] } == [["50"], ["48"]])
            #expect(server.requests.allSatisfy { $0.header("Authorization") == "Bearer secret" })
        }
    }

    @Test("--last and --all select how many entries are listed, and what is left out is reported")
    func counts() async throws {
        try await withAudit { _, url in
            func numbers(_ options: String...) async throws -> [Substring?] {
                let result = try await ToolProcess.run(["audit", "-o", "json", "--relay", url] + options)
                #expect(result.errors.isEmpty)
                return result.lines.map { $0.firstMatch(of: /"number":(\d+)/)?.output.1 }
            }
            #expect(try await numbers("--last", "1") == ["3"])
            #expect(try await numbers("-n", "3") == ["1", "2", "3"])
            #expect(try await numbers("--all") == ["1", "2", "3"])
            let table = try await ToolProcess.run("audit", "--all", "--relay", url)
            #expect(table.lines.count == 4)
        }
        try await withAudit(Array(repeating: Self.entries[0], count: 51)) { _, url in
            let result = try await ToolProcess.run("audit", "--relay", url)
            #expect(result.lines.count == 51)
            #expect(result.errors == "Earlier entries match, too. To see them: --last COUNT, or --all\n")
        }
    }

    @Test("JSON has the relay's names and values, and leaves out those that are null")
    func json() async throws {
        try await withAudit { _, url in
            let result = try await ToolProcess.run("audit", "-o", "json", "--relay", url)
            #expect(
                result.lines == [
                    Self.entries[0],
                    #"{"number":2,"time":"2026-11-28T12:00:01.5Z","token":"bob","role":"reader","address":"10.0.0.8","#
                        + #""action":"events.query","detail":"query=status:>=500","status":200}"#,
                    #"{"number":3,"time":"2026-11-28T12:00:02Z","action":"token.create","detail":"carol"}"#,
                ])
        }
    }

    @Test("Options are sent as the relay's filters")
    func filters() async throws {
        try await withAudit { server, url in
            let result = try await ToolProcess.run(
                "audit", "--token", "a&b +", "--action", "events.read", "--action", "events.delete", "--since", "2026-11-21",
                "--until", "2026-11-22 14:03", "--relay", url)
            #expect(result.code == 0, "\(result.errors)")
            var query = Self.query(of: try #require(server.requests.first))
            query["limit"] = nil
            #expect(
                query == [
                    "token": ["a&b +"], "action": ["events.read", "events.delete"], "since": ["2026-11-21T00:00:00.000Z"],
                    "until": ["2026-11-22T14:03:00.000Z"], "order": ["desc"],
                ])
        }
    }

    @Test("With --client, entries that concern any client are requested and explained")
    func client() async throws {
        try await withAudit { server, url in
            let table = try await ToolProcess.run("audit", "--client", "web-1", "--relay", url)
            let query = Self.query(of: try #require(server.requests.first))
            #expect(query["client"] == ["web-1"])
            #expect(query["everyone"] == ["true"])
            #expect(
                table.errors
                    == "Entries with the client \"any client\" are reads and deletions of events that were not limited to one "
                    + "client. They can concern web-1 too.\n")
            let json = try await ToolProcess.run("audit", "--client", "web-1", "--all", "-o", "json", "--relay", url)
            #expect(json.lines.count == 3)
            #expect(
                json.errors.hasPrefix(
                    "Entries without a client are reads and deletions of events that were not limited to one client."))
        }
        try await withAudit([Self.entries[0]]) { _, url in
            let table = try await ToolProcess.run("audit", "--client", "web-1", "--relay", url)
            #expect(table.errors.isEmpty)
        }
    }

    @Test("An alias selects its client, and a client without entries is explained")
    func alias() async throws {
        try await withAudit([]) { server, url in
            try await withTemporaryDirectory(isCreated: true) { folder in
                let names = folder.appending(path: "live-telemetry")
                try FileManager.default.createDirectory(
                    at: names, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                let file = names.appending(path: "aliases.json")
                try Data(#"{"version":1,"stores":{"\#(url)":{"shop":"web-1"}}}"#.utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
                let result = try await ToolProcess.run(
                    "audit", "-c", "shop", "--relay", url, environment: ["XDG_CONFIG_HOME": folder.path])
                #expect(Self.query(of: try #require(server.requests.first))["client"] == ["web-1"])
                #expect(
                    result.errors == "No entries match. --client takes a client's whole identifier, or its alias.\n")
                #expect(result.code == 0)
            }
        }
    }

    @Test("Control characters of entries are escaped", arguments: ["table", "json"])
    func controls(format: String) async throws {
        let hostile = #"\u001b[2J\u0007\r\n\u009b31m\u202e\u2028end"#
        let entry =
            #"{"number":1,"time":"\#(hostile)","token":"\#(hostile)","role":"\#(hostile)","address":"\#(hostile)","#
            + #""action":"\#(hostile)","client":"\#(hostile)","detail":"\#(hostile)","status":200}"#
        try await withAudit([entry]) { _, url in
            let result = try await ToolProcess.run("audit", "--relay", url, "-o", format)
            #expect(result.output.contains("end"))
            #expect(result.lines.count == (format == "json" ? 1 : 2))
            let controls = result.output.unicodeScalars.filter {
                [.control, .format, .lineSeparator].contains($0.properties.generalCategory) && $0 != "\n"
            }
            #expect(controls.isEmpty)
        }
    }

    @Test(
        "Refusals are explained",
        arguments: [
            (
                401, #"{"code":"unauthorized","detail":"No such token."}"#, Int32(77),
                "does not accept the token from LIVE_TELEMETRY_TOKEN"
            ),
            (
                403, #"{"code":"unauthorized","detail":"Not\u001b you."}"#, 77,
                "The token from LIVE_TELEMETRY_TOKEN cannot read the audit: this requires a token with the role viewer or auditor. "
                    + "The relay's message: Not\\u{1B} you.\n"
            ),
            (404, #"{"code":"notFound","detail":"There is no such route."}"#, 69, "has no audit: update the relay.\n"),
            (404, "<html></html>", 69, "but is not a LiveTelemetry relay. Check the URL.\n"),
            (200, "<html></html>", 69, "but is not a LiveTelemetry relay. Check the URL.\n"),
            (200, #"{"entries":[{"number":1}],"cursor":"1","hasMore":false}"#, 69, "but is not a LiveTelemetry relay."),
            (200, #"{"entries":[],"cursor":"","hasMore":true}"#, 69, "The relay sent a page of the audit again.\n"),
            (400, #"{"code":"invalidArgument","detail":"Unknown action."}"#, 65, "The relay's message: Unknown action.\n"),
            (503, "", 69, "The relay responded with status 503.\n"),
        ])
    func refusals(status: Int, body: String, code: Int32, message: String) async throws {
        let server = try LoopbackServer(Self.json(status, body))
        defer { server.stop() }
        let result = try await ToolProcess.run(
            "audit", "--relay", server.baseURL.absoluteString, environment: ["LIVE_TELEMETRY_TOKEN": "secret"])
        #expect(result.code == code)
        #expect(result.errors.hasPrefix("telemetry: "))
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(!result.errors.contains("secret"))
    }

    @Test("A relay that cannot be reached, and a directory, are reported")
    func otherStores() async throws {
        let (url, socket) = try LoopbackServer.refusingURL()
        defer { withExtendedLifetime(socket) {} }
        let unreachable = try await ToolProcess.run("audit", "--relay", url.absoluteString)
        #expect(unreachable.code == 69)
        #expect(unreachable.errors.hasPrefix("telemetry: The relay at \(url.absoluteString) cannot be reached: "))
        try await withTemporaryDirectory(isCreated: true) { folder in
            let directory = try await ToolProcess.run("audit", "-d", folder.path)
            #expect(directory.code == 65)
            #expect(
                directory.errors == "telemetry: \(folder.path) is a directory. Only a relay has an audit: use --relay URL, or a "
                    + "relay's context.\n")
        }
    }

    @Test(
        "Invalid options are rejected without a request",
        arguments: [
            (["--last", "0"], "--last must be at least 1."), (["--last", "5", "--all"], "Give --last or --all, not both."),
            (["--since", "x"], "--since \"x\" is not a valid date."), (["--until", "x"], "--until \"x\" is not a valid date."),
        ])
    func options(options: [String], message: String) async throws {
        try await withAudit { server, url in
            let result = try await ToolProcess.run(["audit", "--relay", url] + options)
            #expect(result.code == 64)
            #expect(result.errors.hasPrefix("Error: \(message)"), "\(result.errors)")
            #expect(server.requests.isEmpty)
        }
    }
}
