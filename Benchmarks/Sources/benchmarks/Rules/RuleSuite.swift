import Foundation
import Measure
@_spi(Tooling) import TelemetryLifecycle
import TelemetryModels

/// Measures what rules cost a client, and how soon many clients follow a change of one rule.
struct RuleSuite {
    let scale: Scale
    let clients: Int

    func run() async throws {
        try await decide()
        try await follow()
    }

    /// Measures one client's decisions by 200 rules: each has two conditions that hold, and every second one is for half of the
    /// clients.
    private func decide() async throws {
        let names = (0..<20).map { "scenario.\($0)" }
        let everywhere = "200 rules on 20 scenarios, all 20 decided"
        let concentrated = "200 rules on one scenario, that one decided"
        let comparison = Comparison(
            "A client's decisions by 200 rules, processor time", rounds: scale.effectiveRounds,
            contenders: [
                decisions(everywhere, on: names, by: Self.rules { names[$0 % names.count] }),
                decisions(concentrated, on: [names[0]], by: Self.rules { _ in names[0] }),
            ])
        let result = try await comparison.run()
        print(result.text())
        for name in [everywhere, concentrated] {
            let isMet = result.median(of: name).map { $0 <= 100_000 } ?? false
            print("- \(name): aim ≤ 100 µs: \(isMet ? "met" : "not met")")
        }
        print()
    }

    private func decisions(_ name: String, on scenarios: [String], by rules: [TelemetryRuleRecord]) -> Contender {
        let count = scale.size(1_000)
        let attributes = ["appVersion": "2.10.1", "deviceModel": "B"]
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        return Contender(name, calls: count) {
            var enabled = 0
            for client in 0..<count {
                let states = TelemetryPolicy().states(
                    of: scenarios, byRules: rules, clientId: "client.\(client)", attributes: attributes, at: date)
                enabled += states.count(where: \.isEnabled)
            }
            precondition(enabled > 0, "no rule applies")
        }
    }

    private static func rules(scenario: (Int) -> String) -> [TelemetryRuleRecord] {
        (0..<200).map { number in
            TelemetryRuleRecord(
                ruleId: "rule.\(number)", scenarioName: scenario(number), level: .info,
                conditions: [
                    TelemetryRuleCondition("appVersion", .atLeast, ["2.1"]),
                    TelemetryRuleCondition("deviceModel", .oneOf, ["A", "B"]),
                ],
                percentage: number.isMultiple(of: 2) ? 100 : 50, created: Date(timeIntervalSince1970: 1_700_000_000))
        }
    }

    @MainActor
    private func follow() async throws {
        let fleet = try await RuleFleet(count: clients)
        var table = FigureTable(columns: ["", "writes", "clients that change", "time"])
        table.add(try await fleet.follow("a rule for half of the clients", enabling: fleet.half) { try await $0.add() })
        table.add(try await fleet.follow("raised to all", enabling: clients) { try await $0.raise() })
        table.add(try await fleet.follow("removed", enabling: 0) { try await $0.remove() })
        print("### \(clients) clients in one process follow a rule\n\n\(table.text())\n")
        await fleet.shutdown()
    }
}
