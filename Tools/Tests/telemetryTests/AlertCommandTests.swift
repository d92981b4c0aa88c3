import Foundation
import Programs
@_spi(Tooling) import TelemetryTestKit
@_spi(Tooling) import TelemetryTestSupport
import Testing

/// Tests of `telemetry alert` with a scripted relay.
struct AlertCommandTests {
    private static let alerts = """
        {"alerts":[{"name":"a b","query":"name:x","count":5,"within":600,"webhook":"ops","quiet":3600,"isEnabled":true,"owner":"anna"},\
        {"name":"c","query":"y","count":1,"within":60,"webhook":"chat","quiet":60,"isEnabled":false},\
        {"name":"d","silence":600,"clients":"till-*","webhook":"ops","quiet":60,"isEnabled":true,"owner":"anna"}]}
        """

    private func withRelay(_ body: (LoopbackServer, _ url: String) async throws -> Void) async throws {
        let server = try LoopbackServer { request in
            switch (request.method, request.target) {
            case ("GET", "/v1/alerts"): .answers(200, headers: ["Content-Type": "application/json"], body: Self.alerts)
            case ("POST", "/v1/alerts/a%20b/test"): .answers(202, headers: [:], body: "")
            case ("PUT", "/v1/alerts/a%20b"), ("DELETE", "/v1/alerts/a%20b"): .answers(204, headers: [:], body: "")
            case ("PUT", _):
                .answers(400, headers: [:], body: #"{"status":400,"code":"invalidArgument","detail":"There is no webhook."}"#)
            default: .answers(404, headers: [:], body: #"{"status":404,"code":"notFound","detail":"There is no such alert."}"#)
            }
        }
        defer { server.stop() }
        try await body(server, server.baseURL.absoluteString)
    }

    @Test("Alerts are listed as a table or as JSON")
    func list() async throws {
        try await withRelay { server, url in
            let result = try await ToolProcess.run(
                "alert", "list", "--relay", url, environment: ["LIVE_TELEMETRY_TOKEN": "secret"])
            #expect(
                result.output == """
                    ALERT  STATE  FIRES AT        QUIET  WEBHOOK  OWNER  CONDITION
                    a b    on     5 in 10m        1h     ops      anna   name:x
                    c      off    1 in 1m         1m     chat     –      y
                    d      on     silent for 10m  1m     ops      anna   clients till-*

                    """, "\(result.errors)")
            #expect(server.requests.allSatisfy { $0.header("Authorization") == "Bearer secret" })
            let json = try await ToolProcess.run("alert", "list", "-o", "json", "--relay", url)
            #expect(json.lines.count == 3 && json.lines[0].hasPrefix(#"{"name":"a b","query":"name:x","count":5"#))
        }
    }

    @Test("An alert is added, tested and removed; what the relay says against it is printed")
    func changes() async throws {
        try await withRelay { server, url in
            func run(_ arguments: String...) async throws -> ToolProcess.Result { try await run(arguments) }
            func run(_ arguments: [String]) async throws -> ToolProcess.Result {
                try await ToolProcess.run(["alert"] + arguments + ["--relay", url])
            }
            let added = try await run(
                "add", "a b", "--where", "name:x status:>=500", "--count", "5", "--within", "10m", "--quiet", "2h", "--webhook",
                "ops")
            #expect(added.code == 0 && added.output == "✓ Added alert a b for ops.\n", "\(added.errors)")
            let request = try #require(server.requests.last)
            #expect(request.method == "PUT" && request.header("Content-Type") == "application/json")
            #expect(
                String(decoding: request.body, as: UTF8.self)
                    == #"{"query":"name:x status:>=500","count":5,"within":600,"webhook":"ops","quiet":7200,"isEnabled":true}"#)
            for (options, clients) in [([], "*"), (["--clients", "till-*"], "till-*")] {
                #expect(try await run(["add", "a b", "--silence", "10m", "--webhook", "ops"] + options).code == 0)
                #expect(
                    String(decoding: try #require(server.requests.last).body, as: UTF8.self)
                        == #"{"silence":600,"clients":"\#(clients)","webhook":"ops","quiet":3600,"isEnabled":true}"#)
            }
            #expect(try await run("test", "a b").output == "✓ The relay sends a message of a b.\n")
            #expect(try await run("remove", "a b").output == "✓ Removed alert a b.\n")
            let rejected = try await run("add", "x", "--where", "y", "--webhook", "no")
            #expect(rejected.code == 65 && rejected.errors.contains("There is no webhook."))
            let unknown = try await run("remove", "x")
            #expect(unknown.code == 66 && unknown.errors.contains("There is no such alert."))
        }
    }

    @Test(
        "Wrong options are refused before a request",
        arguments: [
            (["--webhook", "ops"], "--where"), (["--where", "x", "--webhook", "ops", "--count", "0"], "--count"),
            (["--where", "x", "--webhook", "ops", "--within", "soon"], "--within"),
            (["--where", "x", "--webhook", "ops", "--quiet", "31d"], "--quiet"),
            (["--where", "x", "--silence", "10m", "--webhook", "ops"], "either"),
            (["--where", "x", "--clients", "a", "--webhook", "ops"], "--clients is for"),
            (["--silence", "10m", "--count", "2", "--webhook", "ops"], "are for --where"),
            (["--silence", "31d", "--webhook", "ops"], "--silence"),
            (["--where", "x | stats count()", "--webhook", "ops"], "pipe"), (["--where", "x"], "webhook"),
        ])
    func refused(options: [String], reason: String) async throws {
        try await withRelay { server, url in
            let result = try await ToolProcess.run(["alert", "add", "a"] + options + ["--relay", url])
            #expect(result.code == 64 && result.errors.contains(reason), "\(result.errors)")
            #expect(server.requests.isEmpty)
        }
    }
}
