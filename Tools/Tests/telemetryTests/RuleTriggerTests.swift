import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// Tests of the commands on rules with triggers.
struct RuleTriggerTests {
    private static let trigger = TelemetryTrigger(when: .all, action: .capture(lookback: nil))

    @Test(
        "rule add stores the trigger that its options describe",
        arguments: [
            (["--capture", "5m"], TelemetryTrigger(when: .all, action: .capture(lookback: 300))),
            (["--capture", "all"], trigger), (["--enable", "10m"], TelemetryTrigger(when: .all, action: .enable(lease: 600))),
            (
                ["--capture", "all", "--count", "3", "--within", "90s", "--limit", "2/1d"],
                TelemetryTrigger(when: .all, count: 3, within: 90, action: .capture(lookback: nil), limit: 2, per: 86_400)
            ),
        ])
    func added(options: [String], expected: TelemetryTrigger) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            let added = try await ToolProcess.run(
                ["rule", "add", "A", "--when", "-name:=x", "--where", "appVersion>=2", "-d", folder.path] + options)
            #expect(added.code == 0, "\(added.errors)")
            let rule = try #require(try await transport.fetchRules().first)
            var trigger = expected
            trigger.when = try TelemetryQuery("-name:=x")
            #expect(rule.trigger == trigger && rule.conditions == [.init("appVersion", .atLeast, ["2"])])
        }
    }

    @Test(
        "A wrong trigger is a usage error, and nothing is stored",
        arguments: [
            (["--when", "a | limit 1", "--capture", "5m"], "Expected a filter without pipes.\n  a | limit 1\n    ^\n"),
            (["--when", "status:>abc", "--capture", "5m"], "Expected a number or a date."),
            (["--when", "a"], "--when requires --capture or --enable"),
            (["--when", "a", "--capture", "5m", "--enable", "5m"], "Give either --capture or --enable."),
            (["--when", "a", "--capture", "0s"], "--capture \"0s\" is not a valid duration."),
            (["--when", "a", "--enable", "all"], "--enable \"all\" is not a valid duration."),
            (["--when", "a", "--capture", "5m", "--within", "soon"], "--within \"soon\" is not a valid duration."),
            (["--when", "a", "--capture", "5m", "--count", "0"], "--count 0 is not a number from 1 to 10,000."),
            (["--when", "a", "--capture", "5m", "--count", "10001"], "--count 10001 is not a number"),
            (["--when", "a", "--capture", "5m", "--limit", "1"], "--limit \"1\" is not a number"),
            (["--when", "a", "--capture", "5m", "--limit", "0/1h"], "--limit \"0/1h\" is not a number"),
            (["--when", "a", "--capture", "5m", "--limit", "1/0s"], "--limit \"1/0s\" is not a number"),
            (["--capture", "5m"], "--capture requires --when."), (["--count", "2"], "--count requires --when."),
            (["--limit", "1/1h"], "--limit requires --when."),
        ])
    func invalid(options: [String], message: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            let result = try await ToolProcess.run(["rule", "add", "A", "-d", folder.path] + options)
            #expect(result.code == 64 && result.errors.contains(message), "\(result.errors)")
            #expect(try await transport.fetchRules().isEmpty)
        }
    }

    @Test("rule list has triggers in a column and as objects, and says which rule cannot be read")
    func listed() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            let trigger = TelemetryTrigger(when: try TelemetryQuery("severity:>=error"), action: .capture(lookback: 300))
            try await transport.createRule(TelemetryRuleRecord(ruleId: "r1", scenarioName: "A", trigger: trigger))
            var newer = TelemetryRuleRecord(ruleId: "r2", scenarioName: "A").toRecord()
            newer["trigger"] = #"{"when":"a","action":{"later":{}}}"#
            _ = try await transport.save([newer], policy: .ifUnchanged)
            let table = try await ToolProcess.run("rule", "list", "-d", folder.path)
            #expect(table.lines.first?.contains("TRIGGER") == true)
            #expect(table.output.contains("severity:>=error → capture 5m, at most 1 per 1h"), "\(table.output)")
            #expect(table.lines.contains { $0.hasPrefix("r2") && $0.contains(" unreadable ") })
            #expect(table.errors.contains("unreadable: the rule has values that this version cannot read"))
            let json = try await ToolProcess.run("rule", "list", "-o", "json", "-d", folder.path)
            let object =
                #""trigger":{"when":"severity:>=error","count":1,"within":60.0,"action":{"capture":{"lookback":300.0}},"#
                + #""limit":1,"per":3600.0},"isReadable":true"#
            #expect(json.output.contains(object), "\(json.output)")
            #expect(json.lines.contains { $0.contains("r2") && $0.contains(#""isReadable":false"#) && !$0.contains("trigger") })
        }
    }

    /// A store with three approved clients and one that is not: `a` has two errors a minute apart, `b` one that is none, and
    /// `c` has no events.
    private func withStore(_ body: (_ transport: FileTelemetryTransport, _ path: String) async throws -> Void) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            for client in ["a", "b", "c", "d"] {
                try await transport.createTelemetryClient(TelemetryClientRecord(clientId: client, isEnabled: client != "d"))
            }
            func event(_ client: String, _ seconds: TimeInterval, _ severity: String) -> TelemetryEvent {
                TelemetryEvent(
                    clientId: client, sessionId: client, sequence: UInt64(seconds), name: "pay",
                    timestamp: Date(timeIntervalSince1970: seconds), attributes: ["severity": .string(severity)])
            }
            try await transport.append([
                event("a", 60, "error"), event("a", 0, "critical"), event("b", 5, "info"), event("d", 0, "error"),
            ])
            try await body(transport, folder.path)
        }
    }

    @Test("A replay lists actions, what the limit held back, and why a client would not have acted")
    func table() async throws {
        try await withStore { _, path in
            let result = try await ToolProcess.run("rule", "test", "A", "--when", "severity:>=error name:=pay", "-d", path)
            #expect(result.code == 0)
            #expect(
                result.output == """
                    A: severity:>=error name:=pay → capture all, at most 1 per 1h
                    ACTS AT                  CLIENT  EVENTS
                    1970-01-01 00:00:00.000  a            1

                    CLIENT  EVENTS  MATCHING  ACTIONS  HELD BACK
                    a            2         2        1          1
                    b            1         0        0          0
                    c            0         0        0          0

                    b would not have acted. The only failing condition was most often severity:>=error (1 event). The nearest event, \
                    pay at 1970-01-01 00:00:05.000, failed severity:>=error: severity is info.
                    c would not have acted. No events are stored.
                    1 action on 1 of 3 clients; held back by the limit: 1

                    """)
            #expect(result.errors == "Only stored events were replayed. What a client kept and did not send is not known.\n")
        }
    }

    @Test("A stored rule is replayed for the clients that it reaches, also when it is disabled or has expired")
    func storedRule() async throws {
        try await withStore { transport, path in
            let trigger = TelemetryTrigger(
                when: try TelemetryQuery("severity:>=info"), count: 2, within: 30, action: .enable(lease: 60))
            try await transport.createRule(
                TelemetryRuleRecord(
                    ruleId: "r1", scenarioName: "A",
                    conditions: [.init("clientId", .oneOf, ["a", "d"]), .init("deviceType", .equals, ["phone"])],
                    expires: Date(timeIntervalSince1970: 0), isEnabled: false, trigger: trigger))
            let result = try await ToolProcess.run("rule", "test", "r", "-o", "json", "-d", path)
            #expect(
                result.output
                    == #"{"clientid":"a","events":2,"matched":2,"actions":[],"heldBack":0,"largestCount":1,"failures":[]}"# + "\n"
            )
            #expect(result.errors.hasPrefix("Not evaluated, because only clients know the attribute: deviceType=phone.\n"))
            let other = try await ToolProcess.run("rule", "test", "r1", "-c", "b", "-d", path)
            #expect(other.errors.contains("The rule applies to no approved client of those that --client selects."))
        }
    }

    @Test("JSON lines have the actions and the nearest miss, and --since and --client select what is replayed")
    func json() async throws {
        try await withStore { _, path in
            func replay(_ options: String...) async throws -> [String] {
                try await ToolProcess.run(
                    ["rule", "test", "A", "--when", "severity:>=error", "-o", "json", "-d", path] + options
                ).lines
            }
            #expect(
                try await replay("-c", "a", "--since", "1970-01-01 00:00:30") == [
                    #"{"clientid":"a","events":1,"matched":1,"actions":[{"time":"1970-01-01T00:01:00.000Z","events":1}],"#
                        + #""heldBack":0,"largestCount":0,"failures":[]}"#
                ])
            let line = try #require(try await replay("-c", "b").first)
            #expect(
                line.contains(
                    #""failures":[{"condition":"severity:>=error","events":1}],"nearestMiss":{"eventId":"#), "\(line)")
            #expect(line.hasSuffix(#""failed":["severity:>=error"],"values":{"severity":"info"}}}"#), "\(line)")
            #expect(try await replay("--where", "clientId in a,c").count == 2)
        }
    }

    @Test("A rule without a trigger cannot be tested, nor one that cannot be read or does not exist")
    func untestable() async throws {
        try await withStore { transport, path in
            try await transport.createRule(TelemetryRuleRecord(ruleId: "r1", scenarioName: "A"))
            var newer = TelemetryRuleRecord(ruleId: "r2", scenarioName: "A").toRecord()
            newer["trigger"] = "{}"
            _ = try await transport.save([newer], policy: .ifUnchanged)
            for (rule, code, message) in [
                ("r1", 65, "Rule r1 has no trigger"), ("r2", 65, "Rule r2 has values that this version cannot read"),
                ("x", 66, "No rule \"x\""),
            ] {
                let result = try await ToolProcess.run("rule", "test", rule, "-d", path)
                #expect(result.code == code && result.errors.contains(message), "\(result.errors)")
            }
            for options in [["--count", "2"], ["--where", "clientId=a"], ["--when", "a | limit 1"], ["--since", "soon"]] {
                #expect(try await ToolProcess.run(["rule", "test", "r1", "-d", path] + options).code == 64)
            }
        }
    }
}
