import Foundation
import TelemetryLifecycle
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// Tests of the commands that set and list levels, leases and rules.
@MainActor
struct RuleCommandTests {
    @Test("A scenario is enabled at a level for a limited time; a reset discards the decision")
    func lease() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let client = try await TestClient(store: store, identifier: "k7wq")
            _ = try await ToolProcess.run("approve", "k7wq", "-d", store.path)
            let limited = try await ToolProcess.run(
                "enable", "k7wq", "A", "--level", "info", "--for", "5h", "--expires", "1h", "-d", store.path)
            #expect(limited.code == 0 && !limited.errors.contains("Without --for"), "\(limited.errors)")
            let state = try #require(client.service.scenarios["A"])
            #expect(state.isEnabled && state.level == .info && state.source == .viewer)
            let left = try #require(state.expires).timeIntervalSinceNow
            #expect(left > 14_400 && left <= 18_000)
            let listed = try await ToolProcess.run("scenarios", "k7wq", "-d", store.path)
            #expect(listed.output.contains("k7wq    A         enabled   info   5 h        viewer\n"))
            let reset = try await ToolProcess.run("reset", "k7wq", "A", "-d", store.path)
            #expect(reset.output.hasPrefix("✓ A is reset on client k7wq."), "\(reset.errors)")
            #expect(client.service.scenarios["A"] == TelemetryScenarioState())
            let unlimited = try await ToolProcess.run("enable", "k7wq", "A", "-d", store.path)
            #expect(unlimited.errors.contains("Without --for the scenario stays enabled until it is disabled."))
        }
    }

    @Test("A scenario is enabled for a user only, by a command and by a rule")
    func context() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let client = try await TestClient(store: store, identifier: "k7wq")
            _ = try await ToolProcess.run("approve", "k7wq", "-d", store.path)
            let conditions = ["--context", "user=4711", "--context", "plan!=free"]
            let enabled = try await ToolProcess.run(
                ["enable", "k7wq", "A", "--for", "10m", "-d", store.path] + conditions)
            #expect(enabled.output.hasPrefix("✓ A is enabled on client k7wq for user=4711 and plan!=free."), "\(enabled.errors)")
            let expected: [TelemetryRuleCondition] = [.init("user", .equals, ["4711"]), .init("plan", .notOneOf, ["free"])]
            #expect(client.service.scenarios["A"]?.contextConditions == expected)
            let listed = try await ToolProcess.run("scenarios", "k7wq", "-d", store.path)
            #expect(listed.output.contains("viewer      user=4711 and plan!=free\n"))
            let lines = try await ToolProcess.run("scenarios", "k7wq", "-o", "json", "-d", store.path)
            #expect(lines.output.contains(#""contextConditions":["user=4711","plan!=free"]"#))
            let widened = try await ToolProcess.run("enable", "k7wq", "A", "--for", "10m", "-d", store.path)
            #expect(widened.errors.contains("Before, it was enabled for user=4711 and plan!=free only."))
            #expect(client.service.scenarios["A"]?.contextConditions == [])
            let added = try await ToolProcess.run(["rule", "add", "A", "-d", store.path] + conditions)
            let rule = try await FileTelemetryTransport(directory: store).fetchRules().first
            #expect(added.code == 0 && rule?.contextConditions == expected)
            let rules = try await ToolProcess.run("rule", "list", "-d", store.path)
            #expect(rules.output.contains("  only for user=4711 and plan!=free\n"))
        }
    }

    @Test("The limit of the app is printed instead of the warning that there is none")
    func defaultLease() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let policy = TelemetryPolicy(defaultLease: .seconds(18_000))
            let client = try await TestClient(store: store, identifier: "k7wq", policy: policy)
            _ = try await ToolProcess.run("approve", "k7wq", "-d", store.path)
            let enabled = try await ToolProcess.run("enable", "k7wq", "A", "-d", store.path)
            #expect(enabled.errors == "The app disables the scenario in 5 h.\n")
            #expect(client.service.scenarios["A"]?.expires != nil)
        }
    }

    @Test("An expired command is not executed")
    func expired() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let client = try await TestClient(store: store, identifier: "k7wq")
            _ = try await ToolProcess.run("approve", "k7wq", "-d", store.path)
            let late = try await ToolProcess.run(
                "enable", "k7wq", "A", "--for", "1h", "--expires", "2020-01-01", "-d", store.path)
            #expect(late.code == 1 && late.errors.contains("The command expired"), "\(late.errors)")
            #expect(client.service.scenarioStates["A"] == false)
        }
    }

    @Test("A rule is added, listed with the clients that follow it, and removed by a prefix of its identifier")
    func rule() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let client = try await TestClient(store: store, identifier: "k7wq")
            _ = try await ToolProcess.run("approve", "k7wq", "-d", store.path)
            let added = try await ToolProcess.run(
                "rule", "add", "A", "--where", "clientId in k7wq,other", "--level", "info", "--for", "5h", "-d", store.path)
            #expect(added.output.hasPrefix("✓ Added rule ") && added.errors.isEmpty, "\(added.errors)")
            await client.service.reconcile()
            let stored = try await client.transport.fetchRules()
            let rule = try #require(stored.first)
            #expect(stored.count == 1 && rule.percentage == 100 && rule.level == .info)
            #expect(client.service.scenarios["A"]?.source == .rule(rule.ruleId))
            let listed = try await ToolProcess.run("rule", "list", "-d", store.path)
            let row =
                "\(rule.ruleId)  A         info     100%  5 h                 1            1  tester  –        clientId in k7wq,other\n"
            #expect(listed.output.contains(row), "\(listed.output)")
            let scenarios = try await ToolProcess.run("scenarios", "-d", store.path)
            #expect(scenarios.output.contains("rule \(rule.ruleId)\n"))
            let removed = try await ToolProcess.run("rule", "remove", String(rule.ruleId.prefix(6)), "-d", store.path)
            #expect(removed.output == "✓ Removed rule \(rule.ruleId) for A.\n", "\(removed.errors)")
            #expect(try await client.transport.fetchRules().isEmpty)
            await client.service.reconcile()
            #expect(client.service.scenarioStates["A"] == false)
            let again = try await ToolProcess.run("rule", "remove", rule.ruleId, "-d", store.path)
            #expect(again.code == 66)
        }
    }

    @Test("rule list counts the approved clients that a rule applies to, and marks rules that it cannot count")
    func applicable() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            for (id, version, isEnabled) in [("a", "2.0", true), ("b", "2.1", true), ("c", "3.0", true), ("d", "3.0", false)] {
                try await transport.createTelemetryClient(
                    TelemetryClientRecord(clientId: id, isEnabled: isEnabled, appVersion: version))
            }
            try await transport.createScenarios([
                .init(clientId: "b", scenarioName: "A", isEnabled: true, source: .rule("r1"))
            ])
            try await transport.createRule(
                TelemetryRuleRecord(ruleId: "r1", scenarioName: "A", conditions: [.init("appVersion", .atLeast, ["2.1"])]))
            try await transport.createRule(
                TelemetryRuleRecord(ruleId: "r2", scenarioName: "A", conditions: [.init("deviceType", .equals, ["phone"])]))
            let listed = try await ToolProcess.run("rule", "list", "-d", folder.path)
            let rows = listed.lines.map { $0.split(separator: " ").map(String.init) }
            #expect(
                rows.first { $0[0] == "r1" } == ["r1", "A", "diagnostic", "100%", "–", "2", "1", "–", "–", "appVersion>=2.1"])
            #expect(
                rows.first { $0[0] == "r2" } == ["r2", "A", "diagnostic", "100%", "–", "–", "0", "–", "–", "deviceType=phone"])
            #expect(listed.errors.contains("an attribute that only clients know"))
        }
    }

    @Test(
        "Invalid options are usage errors",
        arguments: [
            ["enable", "k7wq", "--for", "15m"], ["enable", "k7wq", "A", "--for", "0s"], ["enable", "k7wq", "A", "--for", "soon"],
            ["enable", "k7wq", "A", "--expires", "soon"], ["rule", "add", "A", "--where", "appVersion"],
            ["rule", "add", "A", "--sample", "0%"], ["rule", "add", "A", "--sample", "101"], ["rule", "add", ""],
            ["enable", "k7wq", "A", "--context", "user:1"], ["enable", "k7wq", "A", "--context", "user="],
            ["enable", "k7wq", "A", "--context", "user"], ["enable", "k7wq", "A", "--context", "plan!=free and user=1"],
            ["enable", "k7wq", "A", "--context", "plan!=free,user=1"],
            ["enable", "k7wq", "A", "--context", "plan!=free && user"],
            ["rule", "add", "A", "--context", "user:1"], ["enable", "k7wq", "--context", "user=1"],
            ["disable", "k7wq", "A", "--context", "user=1"],
            ["rule", "add", "A", "--when", "a", "--capture", "5m", "--context", "user=1"],
            ["rule", "change", "r"], ["rule", "change", "r", "--sample", "0%"],
        ])
    func invalid(arguments: [String]) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let result = try await ToolProcess.run(arguments + ["-d", folder.path])
            #expect(result.code == 64, "\(result.errors)")
        }
    }
}
