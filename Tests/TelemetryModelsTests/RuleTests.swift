import Foundation
import TelemetryModels
import Testing

struct RuleTests {
    private static let date = Date(timeIntervalSince1970: 1_795_248_000)

    // MARK: Conditions

    private typealias Row = (TelemetryRuleCondition.Comparison, String?, [String], Bool)

    @Test("Every comparison holds for the expected values only", arguments: TelemetryRuleCondition.Comparison.allCases)
    func comparisons(comparison: TelemetryRuleCondition.Comparison) {
        let rows: [Row] = [
            (.equals, "a", ["a"], true), (.equals, "a", ["b", "a"], true), (.equals, "a", ["A"], false),
            (.equals, "a", [], false), (.equals, nil, ["a"], false), (.equals, "caf\u{e9}", ["cafe\u{301}"], true),
            (.oneOf, "a", ["b", "a"], true), (.oneOf, "a", ["b"], false), (.oneOf, "a", [], false), (.oneOf, nil, [""], false),
            (.notOneOf, "a", ["b"], true), (.notOneOf, "a", ["a", "b"], false), (.notOneOf, "a", [], true),
            (.notOneOf, nil, ["a"], true), (.notOneOf, nil, [], true),
            (.hasPrefix, "iPhone17,1", ["iPad", "iPhone"], true), (.hasPrefix, "iPhone", ["iPhone17"], false),
            (.hasPrefix, "a", [""], true), (.hasPrefix, "a", [], false), (.hasPrefix, nil, [""], false),
            (.atLeast, "2.10", ["2.9"], true), (.atLeast, "2.9", ["2.10"], false), (.atLeast, "2.9", ["2.10", "2.8"], true),
            (.atLeast, "2", ["2.0.0"], true), (.atLeast, "2", [], false), (.atLeast, nil, ["0"], false),
            (.below, "2.9", ["2.10"], true), (.below, "2.10", ["2.9"], false), (.below, "2.10", ["2.9", "3"], true),
            (.below, "2.0", ["2"], false), (.below, "2", [], false), (.below, nil, ["9"], false),
        ]
        let own = rows.filter { $0.0 == comparison }
        #expect(!own.isEmpty)
        for (_, value, values, holds) in own {
            let condition = TelemetryRuleCondition("x", comparison, values)
            #expect(condition.holds(for: value) == holds, "\(value ?? "nil") \(values)")
        }
    }

    @Test("Versions are compared part by part")
    func versions() {
        // The values of a line are equal versions, and below those of the next line.
        let lines = [
            ["", "0", "0.0", "00.000", "."], ["0.0.1"], ["1", "1.0", "01"], ["1.0.0.1"], ["1.2"], ["1.9"], ["1.10", "1.010"],
            ["1.99999999999999999999"], ["1.100000000000000000000"], ["1.0a"], ["1.a"], ["1.b"], ["1.\u{e9}", "1.e\u{301}"],
            ["1.\u{ffff}"], ["1.\u{10000}"], ["2"], ["2.0-beta"], ["10"], ["-1"], ["v1"],
        ]
        for (index, line) in lines.enumerated() {
            for version in line {
                for (other, values) in lines.enumerated() {
                    for value in values {
                        let isBelow = TelemetryRuleCondition("x", .below, [value]).holds(for: version)
                        let isAtLeast = TelemetryRuleCondition("x", .atLeast, [value]).holds(for: version)
                        #expect(isBelow == (index < other) && isAtLeast == (index >= other), "\(version) and \(value)")
                    }
                }
            }
        }
    }

    @Test("The stored form of a condition")
    func storedCondition() throws {
        let condition = TelemetryRuleCondition("appVersion", .atLeast, ["2.1"])
        let text = #"{"attribute":"appVersion","comparison":"atLeast","values":["2.1"]}"#
        #expect(try json(condition) == text)
        #expect(try fromJSON(text) == condition)
        #expect(
            TelemetryRuleCondition.Comparison.allCases.map(\.rawValue)
                == ["equals", "oneOf", "notOneOf", "hasPrefix", "atLeast", "below"])
    }

    // MARK: Positions

    @Test(
        "A client's position in a rule equals independently computed values",
        arguments: [
            ("k7m2", "r1", 39.28714172743524),
            ("", "", 0.6748622698109717),
            ("cafe\u{301}", "re\u{300}gle", 47.86850026902235),
            ("caf\u{e9}", "r\u{e8}gle", 47.86850026902235),
            ("\u{1100}\u{1161}\u{11a8}", "\u{10041}\u{301}", 60.828167559164946),
            ("a\u{327}\u{301}", "q\u{307}\u{323}", 40.99013726688372),
            ("\u{212b}", "\u{958}", 79.73777465619591),
            ("yyy", "\u{1f469}\u{200d}", 17.396089980352674),
        ])
    func positions(clientId: String, ruleId: String, position: Double) {
        #expect(TelemetryRuleRecord.position(ofClient: clientId, inRule: ruleId) == position)
    }

    @Test("Raising the percentage only adds clients, in about that proportion")
    func percentages() {
        var rule = TelemetryRuleRecord(ruleId: "sample", scenarioName: "Net")
        let clients = (0..<1_000).map { "client-\($0)" }
        var chosen: Set<String> = []
        for percentage in [0.0, 1, 10, 50, 90, 100] {
            rule.percentage = percentage
            let now = Set(clients.filter { rule.applies(to: $0, attributes: [:]) })
            #expect(now.isSuperset(of: chosen))
            #expect(abs(Double(now.count) - percentage * 10) <= 60, "\(percentage) %: \(now.count)")
            chosen = now
        }
        #expect(chosen.count == 1_000)
    }

    @Test(
        "Percentages at and beyond the limits",
        arguments: [
            (100.0, true), (1e9, true), (.infinity, true), (0, false), (-0.0, false), (-1, false), (-.infinity, false),
            (.nan, false),
        ])
    func extremes(percentage: Double, applies: Bool) {
        let rule = TelemetryRuleRecord(ruleId: "r", scenarioName: "Net", percentage: percentage)
        for client in ["a", "b", "c"] { #expect(rule.applies(to: client, attributes: [:]) == applies) }
    }

    // MARK: Rules

    @Test("A rule applies while it is enabled and has not ended, to clients that fulfil all of its conditions")
    func application() {
        let rule = TelemetryRuleRecord(
            scenarioName: "Net",
            conditions: [.init("appVersion", .atLeast, ["2.1"]), .init("deviceModel", .oneOf, ["A", "B"])],
            expires: Self.date)
        let attributes = ["appVersion": "2.10", "deviceModel": "B"]
        func applies(_ change: (inout TelemetryRuleRecord) -> Void = { _ in }, _ at: Date = Self.date - 1) -> Bool {
            var changed = rule
            change(&changed)
            return changed.applies(to: "c", attributes: attributes, at: at)
        }
        #expect(applies())
        #expect(!applies({ _ in }, Self.date))
        #expect(!applies { $0.isEnabled = false })
        #expect(!applies { $0.expires = Date(timeIntervalSince1970: .nan) })
        #expect(!applies { $0.conditions.append(.init("track", .equals, ["beta"])) })
        #expect(applies { $0.conditions = [] })
        #expect(!rule.applies(to: "c", attributes: ["appVersion": "2.10"], at: Self.date - 1))
    }

    @Test("The attribute clientId is always the client's identifier")
    func clientIdentifier() {
        let rule = TelemetryRuleRecord(scenarioName: "Net", conditions: [.init("clientId", .oneOf, ["c"])])
        #expect(rule.applies(to: "c", attributes: ["clientId": "d"]))
        #expect(!rule.applies(to: "d", attributes: ["clientId": "c"]))
    }

    @Test("About half of 200 rules at 50 percent apply to a client")
    func manyRules() {
        let rules = (0..<200).map { TelemetryRuleRecord(ruleId: "rule-\($0)", scenarioName: "Net", percentage: 50) }
        let count = rules.filter { $0.applies(to: "k7m2pq9xst", attributes: [:]) }.count
        #expect((60...140).contains(count))
    }

    @Test("A rule whose record cannot be read in full applies to no client, and keeps its stored fields")
    func unreadable() throws {
        let whole = TelemetryRuleRecord(recordID: "r", ruleId: "1", scenarioName: "Net", created: Self.date).toRecord()
        #expect(whole["conditions"] == "[]" && whole["percentage"] == .double(100))
        #expect(try TelemetryRuleRecord(record: whole).applies(to: "c", attributes: [:]))
        let rows: [(String, TelemetryValue)] = [
            ("conditions", "not JSON"), ("conditions", "{}"), ("conditions", 3),
            ("conditions", #"[{"attribute":"a","comparison":"near","values":["1"]}]"#),
            ("conditions", #"[{"attribute":"a","comparison":"notOneOf"}]"#),
            ("logLevel", "everything"), ("percentage", "half"), ("expires", "soon"),
        ]
        for (field, value) in rows {
            var record = whole
            record[field] = value
            let rule = try TelemetryRuleRecord(record: record)
            #expect(!rule.applies(to: "c", attributes: [:]) && !rule.isReadable, "\(field): \(value)")
            #expect(rule.toRecord()[field] == value)
        }
        var record = whole
        record["conditions"] = "[3]"
        var mended = try TelemetryRuleRecord(record: record)
        mended.conditions = []
        #expect(mended.applies(to: "c", attributes: [:]) && mended.toRecord()["conditions"] == "[]")
    }

    @Test("A rule without its optional fields has the defaults; an integer is a valid percentage")
    func sparse() throws {
        var record = TelemetryRecord(recordType: "TelemetryRule", recordID: "r")
        record["ruleId"] = "1"
        record["scenarioName"] = "Net"
        record["created"] = .date(Self.date)
        record["isEnabled"] = 1
        let rule = TelemetryRuleRecord(recordID: "r", ruleId: "1", scenarioName: "Net", created: Self.date)
        #expect(try TelemetryRuleRecord(record: record) == rule)
        record["percentage"] = 25
        #expect(try TelemetryRuleRecord(record: record).percentage == 25)
        for field in ["ruleId", "scenarioName", "created", "isEnabled"] {
            var broken = record
            broken[field] = nil
            #expect(throws: TelemetryRecordError.missingField(field)) { try TelemetryRuleRecord(record: broken) }
        }
    }
}
