import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct RuleChangeTests {
    @Test("A changed rule keeps what was not named, and its record")
    func change() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            let rule = try await transport.createRule(
                TelemetryRuleRecord(
                    ruleId: "r1", scenarioName: "A", level: .info, conditions: [.init("appVersion", .atLeast, ["2.1"])],
                    percentage: 50))
            let raised = try await ToolProcess.run("rule", "change", "r", "--sample", "100%", "-d", folder.path)
            #expect(raised.output == "✓ Changed rule r1 for A.\n", "\(raised.errors)")
            var expected = rule
            expected.percentage = 100
            expected.issuer = "tester"
            #expect(try await transport.fetchRules() == [expected])
            let limited = try await ToolProcess.run(
                "rule", "change", "r1", "--level", "diagnostic", "--for", "5h", "--issuer", "", "-d", folder.path)
            #expect(limited.code == 0, "\(limited.errors)")
            let stored = try #require(try await transport.fetchRules().first)
            #expect(stored.level == .diagnostic && stored.percentage == 100 && stored.issuer == nil)
            #expect(try #require(stored.expires).timeIntervalSinceNow > 14_400)
        }
    }

    @Test(
        "A rule with a value that this version cannot read is not changed",
        arguments: [
            ("logLevel", .string("verbose")), ("percentage", .string("half")), ("expires", .string("tomorrow")),
            ("conditions", .string("?")),
        ] as [(String, TelemetryValue)])
    func unreadable(field: String, value: TelemetryValue) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            let rule = try await transport.createRule(TelemetryRuleRecord(ruleId: "r1", scenarioName: "A"))
            let id = try #require(rule.recordID)
            var newer = try #require(try await transport.record(withID: id))
            newer[field] = value
            let stored = try await transport.save([newer], policy: .ifUnchanged)
            let result = try await ToolProcess.run("rule", "change", "r1", "--level", "info", "-d", folder.path)
            #expect(result.code == 65 && result.output.isEmpty)
            #expect(result.errors.contains("Rule r1 has values that this version cannot read, so it was not changed."))
            #expect(try await transport.record(withID: id) == stored.first)
        }
    }

    @Test("A rule that does not exist, or of which there are several, is not found", arguments: ["x", "r"])
    func missing(name: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            for id in ["r1", "r2"] { try await transport.createRule(TelemetryRuleRecord(ruleId: id, scenarioName: "A")) }
            let result = try await ToolProcess.run("rule", "change", name, "--sample", "5%", "-d", folder.path)
            #expect(result.code == 66 && result.errors.contains(name == "x" ? "No rule" : "ambiguous"), "\(result.errors)")
        }
    }
}
