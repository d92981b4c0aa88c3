import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct CrashesCommandTests {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)
    private static let backtrace = "*** Signal 11 ***\r\n0 sync() in App\u{1B}[2J\n1 \u{202E}main\u{9B}31m\u{7}"

    private func event(
        _ number: Int, _ session: String, client: String = "k7wq", at seconds: TimeInterval, name: String = "file.read",
        scenario: String? = "FileRead", _ attributes: [String: TelemetryValue] = [:]
    ) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "\(session)-\(number)", clientId: client, sessionId: session, sequence: UInt64(number), name: name,
            timestamp: Self.start + seconds, property1: "number \(number)", attributes: attributes, scenario: scenario)
    }

    private func report(
        _ session: String, client: String = "k7wq", at seconds: TimeInterval, lastActive: TimeInterval?, end: String = "killed",
        version: String = "2.1", _ attributes: [String: TelemetryValue] = [:]
    ) -> TelemetryEvent {
        var known: [String: TelemetryValue] = ["session": .string(session), "end": .string(end), "appVersion": .string(version)]
        known["lastActive"] = lastActive.map { .date(Self.start + $0) }
        return event(
            0, "after-\(session)", client: client, at: seconds, name: "telemetry.session", scenario: nil,
            known.merging(attributes) { $1 })
    }

    /// A store with three crashes of two clients, and events that only look like reports.
    private func withStore(_ body: (_ path: String) async throws -> Void) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            for client in ["k7wq", "web-1"] { try await transport.createTelemetryClient(clientId: client, isEnabled: true) }
            // 39.999 is before the last minute, 40 and 100 are within, 100.001 is after the end.
            let times = [1, 39.999, 40, 70, 100, 100.001]
            try await transport.append(times.enumerated().map { event($0.offset + 1, "ab12", at: $0.element) })
            // Events from the flight recorder are sent by the session that reports the end, which also has events of its own.
            try await transport.append([
                event(7, "after-ab12", at: 99, ["telemetry.captured": true]), event(8, "after-ab12", at: 99),
                event(9, "after-ab12", at: 501, ["telemetry.captured": true]), event(1, "ab12", client: "other", at: 99),
            ])
            try await transport.append([
                report(
                    "ab12", at: 500, lastActive: 100, end: "signal",
                    ["signal": "SIGSEGV", "backtrace": .string(Self.backtrace)]),
                report("ab34", at: 400, lastActive: 300, version: "2.0"),
                report("cd56", client: "web-1", at: 600, lastActive: nil),
                event(1, "x", at: 1, name: "telemetry.session", ["session": "with a scenario"]),
                event(2, "x", at: 1, name: "telemetry.session", scenario: nil),
            ])
            try await body(folder.path)
        }
    }

    private func crashes(_ arguments: String..., in path: String) async throws -> ToolProcess.Result {
        try await ToolProcess.run(["crashes", "-d", path] + arguments)
    }

    @Test("Sessions that ended without a shutdown are listed with their last minute, newest first, and counted")
    func list() async throws {
        try await withStore { path in
            let result = try await crashes(in: path)
            #expect(result.code == 0)
            #expect(
                result.output == """
                    WHEN                 CLIENT  VERSION  END     SIGNAL   LAST MINUTE  SESSION
                    2026-01-01 00:10:00  web-1   2.1      killed  –                  0  cd56
                    2026-01-01 00:05:00  k7wq    2.0      killed  –                  0  ab34
                    2026-01-01 00:01:40  k7wq    2.1      signal  SIGSEGV            4  ab12

                    VERSION  END     SIGNAL   SESSIONS
                    2.0      killed  –               1
                    2.1      killed  –               1
                    2.1      signal  SIGSEGV         1

                    3 sessions ended without a shutdown.

                    """)
        }
    }

    @Test(
        "Options select the reports",
        arguments: [
            (["-c", "k7wq"], ["ab34", "ab12"]), (["-c", "k*", "-c", "web-*"], ["cd56", "ab34", "ab12"]), (["-n", "1"], ["ab34"]),
            (["--where", "signal:=SIGSEGV"], ["ab12"]), (["--since", "2026-01-01T00:08:00Z"], ["cd56", "ab12"]),
            (["--until", "2026-01-01T00:08:00Z"], ["ab34"]),
        ])
    func selection(options: [String], sessions: [String]) async throws {
        try await withStore { path in
            let rows = try await ToolProcess.run(["crashes", "-d", path, "-o", "csv"] + options).output.split(separator: "\r\n")
            #expect(rows.dropFirst().map { $0.split(separator: ",").last.map(String.init) } == sessions)
        }
    }

    @Test(
        "The list is printed for programs",
        arguments: [
            (
                "json",
                #"{"lastActive":"2026-01-01T00:01:40.000Z","clientid":"k7wq","appVersion":"2.1","end":"signal","#
                    + #""signal":"SIGSEGV","lastMinute":4,"session":"ab12"}"#
            ),
            ("csv", "2026-01-01T00:01:40.000Z,k7wq,2.1,signal,SIGSEGV,4,ab12"),
        ])
    func formats(format: String, last: String) async throws {
        try await withStore { path in
            let output = try await crashes("-o", format, in: path).output
            #expect(output.split(whereSeparator: \.isNewline).last.map(String.init) == last)
        }
    }

    @Test("One session is shown with its escaped backtrace and its last events, in their order", arguments: ["ab1", "ab12"])
    func session(text: String) async throws {
        try await withStore { path in
            let result = try await crashes(text, "-n", "4", in: path)
            #expect(result.code == 0)
            #expect(
                result.lines.prefix(13) == [
                    "session      ab12", "client       k7wq", "app version  2.1", "end          signal, SIGSEGV",
                    "last active  2026-01-01 00:01:40.000", "reported     2026-01-01 00:08:20.000", "", "backtrace",
                    "  *** Signal 11 ***", "  0 sync() in App\\u{1B}[2J", "  1 \\u{202E}main\\u{9B}31m\\u{7}", "",
                    "last 4 events",
                ])
            #expect(
                result.lines.dropFirst(14).map { $0.split(separator: " ").dropFirst(5).joined(separator: " ") }
                    == ["number 4", "[captured] number 7 telemetry.captured=true", "number 5", "number 6"])
            let json = try await crashes(text, "-o", "json", in: path).lines.map {
                try JSONDecoder().decode(TelemetryEvent.self, from: Data($0.utf8))
            }
            #expect(json.map(\.sequence) == [1, 2, 3, 4, 7, 5, 6, 0])
            #expect(json.last?.attributes["backtrace"] == .string(Self.backtrace))
        }
    }

    @Test("What the system reported about the crash later is shown with the session")
    func diagnostic() async throws {
        try await withStore { path in
            let described: [String: TelemetryValue] = [
                "session": "cd56", "terminationReason": "Namespace SIGNAL\u{7}", "backtrace": "0 Shop + 12 (0xff)",
            ]
            func diagnostic(
                _ number: Int, client: String = "web-1", at seconds: TimeInterval, _ attributes: [String: TelemetryValue] = [:]
            ) -> TelemetryEvent {
                event(
                    number, "after-cd56", client: client, at: seconds, name: "telemetry.diagnostic", scenario: nil,
                    described.merging(attributes) { $1 })
            }
            try await FileTelemetryTransport(directory: URL(filePath: path)).append([
                diagnostic(1, at: 601), diagnostic(2, at: 602, ["session": "other", "backtrace": "of another session"]),
                diagnostic(3, client: "k7wq", at: 603, ["backtrace": "of another client"]),
            ])
            let result = try await crashes("cd56", in: path)
            #expect(result.lines.contains("reason       Namespace SIGNAL\\u{7}"))
            #expect(result.lines.suffix(4) == ["backtrace", "  0 Shop + 12 (0xff)", "", "no events of this session are stored"])
            #expect(try await crashes("cd56", "-o", "json", in: path).lines.count == 2)
            // The report's own backtrace is from the process itself.
            #expect(try await crashes("ab12", in: path).lines.contains("  *** Signal 11 ***"))
        }
    }

    @Test("A session without a backtrace and stored events is shown")
    func bareSession() async throws {
        try await withStore { path in
            let result = try await crashes("cd56", in: path)
            #expect(result.lines.suffix(4) == ["backtrace", "  none", "", "no events of this session are stored"])
        }
    }

    @Test(
        "A session that is not found, or ambiguous, fails",
        arguments: [
            ("a", "\"a\" is ambiguous: ab12, ab34. Give a longer prefix."),
            ("b12", "No session \"b12\" that ended without a shutdown. To list them: telemetry crashes"),
            (".*", "No session \".*\" that ended without a shutdown. To list them: telemetry crashes"),
            ("x", "No session \"x\" that ended without a shutdown. To list them: telemetry crashes"),
        ])
    func notFound(text: String, message: String) async throws {
        try await withStore { path in
            let result = try await crashes(text, in: path)
            #expect(result.code == 66)
            #expect(result.errors == "telemetry: \(message)\n")
        }
    }

    @Test("A session that two clients reported requires --client")
    func twoClients() async throws {
        try await withStore { path in
            try await FileTelemetryTransport(directory: URL(filePath: path)).append([
                report("ab12", client: "web-1", at: 700, lastActive: 650)
            ])
            let result = try await crashes("ab12", in: path)
            #expect(result.code == 66)
            #expect(result.errors == "telemetry: Several clients reported \"ab12\": k7wq, web-1. Select one with --client.\n")
            #expect(try await crashes("ab12", "-c", "web-1", in: path).lines.contains("client       web-1"))
        }
    }

    @Test("Without such a session, the list says so")
    func empty() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            try await FileTelemetryTransport(directory: folder).append([event(1, "s", at: 1)])
            let result = try await crashes(in: folder.path)
            #expect(result.code == 0)
            #expect(result.output.isEmpty)
            #expect(result.errors.hasPrefix("No session ended without a shutdown, or none matches."))
        }
    }

    @Test(
        "Hostile identifiers find exactly their session",
        arguments: ["a.b", "-1", "\"\\", "(", "é\u{301}", "a b", "^$", "\u{1B}x"])
    func hostile(session: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            try await FileTelemetryTransport(directory: folder).append([
                report(session, at: 1, lastActive: 1), report("axb", at: 1, lastActive: 1),
            ])
            let result = try await ToolProcess.run("crashes", "-d", folder.path, "-o", "json", "--", session)
            #expect(result.code == 0)
            #expect(result.lines.count == 1)
        }
    }

    @Test("Hostile values of a report do not fail the list, and control characters are escaped")
    func hostileReports() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            try await FileTelemetryTransport(directory: folder).append([
                report(String(repeating: "x", count: 100_000), at: 1, lastActive: 1),
                report("first", at: 2, lastActive: -62_135_596_800 - Self.start.timeIntervalSince1970),
                report("last", at: 3, lastActive: 253_402_300_799 - Self.start.timeIntervalSince1970),
                report(
                    "\u{1B}[2J", at: 4, lastActive: nil, end: "\u{1B}[2J\n", version: "\u{202E}",
                    ["lastActive": "x", "signal": 1]),
            ])
            let list = try await crashes(in: folder.path)
            #expect(list.code == 0)
            #expect(list.lines.contains("4 sessions ended without a shutdown."))
            #expect(list.output.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && $0 != "\u{202E}") })
            #expect(try await crashes("first", in: folder.path).code == 0)
        }
    }
}
