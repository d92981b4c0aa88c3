import Foundation
import TelemetryModels
import Testing

@testable import TelemetryLifecycle

struct ScenarioDecisionTests {
    private static let date = Date(timeIntervalSince1970: 1_795_248_000)

    typealias Context = ScenarioDecision.Context
    typealias State = TelemetryScenarioState

    private static func rule(
        _ id: String, level: TelemetryLogLevel = .diagnostic, expires: Date? = nil, scenario: String = "Net"
    ) -> TelemetryRuleRecord {
        TelemetryRuleRecord(ruleId: id, scenarioName: scenario, level: level, expires: expires)
    }

    private func decide(_ decision: State?, _ change: (inout Context) -> Void = { _ in }) -> ScenarioDecision {
        var context = Context(clientId: "c", rules: [])
        change(&context)
        return ScenarioDecision(on: "Net", after: decision, in: context, at: Self.date)
    }

    @Test("Without a decision or rule a scenario is off, from its registration")
    func nothing() {
        #expect(decide(nil).state == State())
        #expect(decide(State(isEnabled: false)).state == State())
        #expect(decide(State(isEnabled: false)).decision == nil)
    }

    @Test(
        "An explicit decision holds until it expires, whatever the rules",
        arguments: [State.Source.host, .viewer], [true, false])
    func explicit(source: State.Source, isEnabled: Bool) {
        let rules: ScenarioRules = [Self.rule("r")]
        for expires in [nil, Self.date + 0.001] {
            let decision = State(isEnabled: isEnabled, level: .info, expires: expires, source: source)
            #expect(decide(decision) { $0.rules = rules }.state == decision)
            #expect(decide(decision) { $0.rules = nil }.state == decision)
        }
        for expires in [Self.date, Self.date - 1] {
            let decision = State(isEnabled: isEnabled, level: .info, expires: expires, source: source)
            #expect(decide(decision).state == State())
            let byRule = decide(decision) { $0.rules = rules }
            #expect(byRule.state == State(isEnabled: true, source: .rule("r")) && byRule.decision == nil)
        }
    }

    @Test("Without a source, a scenario that is on stays on; one that is off has no decision")
    func withoutSource() {
        #expect(decide(State(isEnabled: true)).state == State(isEnabled: true))
        #expect(decide(State(isEnabled: false)) { $0.rules = [Self.rule("r")] }.state.isEnabled)
    }

    @Test("The user's veto has precedence, and the earlier decision applies again after it")
    func veto() {
        let decision = State(isEnabled: true, source: .host)
        for rules in [nil, [], [Self.rule("r")]] as [ScenarioRules?] {
            let denied = decide(decision) {
                $0.deniedScenarios = ["Net", "Other"]
                $0.rules = rules
            }
            #expect(!denied.state.isEnabled && denied.decision == decision)
            #expect(
                !decide(nil) {
                    $0.deniedScenarios = ["Net"]
                    $0.rules = rules
                }.state.isEnabled)
        }
        #expect(decide(decision) { $0.deniedScenarios = ["net"] }.state == decision)
    }

    @Test("The policy restricts viewers and rules, not the host; turning off is always allowed")
    func policy() {
        let policy = TelemetryPolicy(remoteScenarios: ["Other"], maximumLevel: .info)
        func decide(_ decision: State?, rules: ScenarioRules? = []) -> State {
            self.decide(decision) {
                $0.policy = policy
                $0.rules = rules
            }.state
        }
        #expect(decide(State(isEnabled: true, source: .host)) == State(isEnabled: true, source: .host))
        #expect(decide(State(isEnabled: true, source: .viewer)) == State())
        #expect(decide(State(isEnabled: false, source: .viewer)) == State(isEnabled: false, source: .viewer))
        #expect(decide(nil, rules: [Self.rule("r")]) == State())
        #expect(decide(State(isEnabled: true, source: .rule("r")), rules: nil) == State())
    }

    @Test("The policy limits the level of viewers and rules, not the host's")
    func maximumLevel() {
        func level(_ decision: State?, rules: ScenarioRules? = []) -> TelemetryLogLevel {
            decide(decision) {
                $0.policy = TelemetryPolicy(maximumLevel: .info)
                $0.rules = rules
            }.state.level
        }
        #expect(level(State(isEnabled: true, source: .host)) == .diagnostic)
        #expect(level(State(isEnabled: true, source: .viewer)) == .info)
        #expect(level(nil, rules: [Self.rule("r")]) == .info)
        #expect(level(State(isEnabled: true, source: .rule("r")), rules: nil) == .info)
    }

    @Test("Of the rules that apply, the most verbose one decides, then the one with the latest end, then the first by name")
    func rules() {
        let end = Self.date + 60
        let rows: [([TelemetryRuleRecord], String?)] = [
            ([], nil),
            ([Self.rule("a", level: .info), Self.rule("b")], "b"),
            ([Self.rule("b"), Self.rule("a", level: .info)], "b"),
            ([Self.rule("a", expires: end), Self.rule("b")], "b"),
            ([Self.rule("b"), Self.rule("a", expires: end)], "b"),
            ([Self.rule("b", expires: end), Self.rule("a", expires: end + 1), Self.rule("c", expires: end)], "a"),
            ([Self.rule("b"), Self.rule("a"), Self.rule("c")], "a"),
            ([Self.rule("c"), Self.rule("a", expires: Self.date), Self.rule("b")], "b"),
            ([Self.rule("a", level: .info), Self.rule("b", expires: Self.date)], "a"),
            ([Self.rule("a", scenario: "net"), Self.rule("b", scenario: "Other")], nil),
            ([TelemetryRuleRecord(ruleId: "a", scenarioName: "Net", percentage: 0)], nil),
            ([TelemetryRuleRecord(ruleId: "a", scenarioName: "Net", isEnabled: false)], nil),
        ]
        for (rules, winner) in rows {
            let state = decide(nil) { $0.rules = ScenarioRules(rules) }.state
            let rule = rules.first { $0.ruleId == winner }
            let expected = rule.map {
                State(isEnabled: true, level: $0.level, expires: $0.expires, source: .rule($0.ruleId))
            }
            #expect(state == expected ?? State(), "\(rules.map(\.ruleId))")
        }
    }

    @Test("Rules match the client's attributes, and apply to no client without an identifier")
    func attributes() {
        let rule = TelemetryRuleRecord(
            ruleId: "r", scenarioName: "Net", conditions: [.init("track", .equals, ["beta"])])
        for (clientId, track, isEnabled) in [("c", "beta", true), ("c", "alpha", false), (nil, "beta", false)] {
            let state = decide(nil) {
                $0.rules = [rule]
                $0.clientId = clientId
                $0.attributes = ["track": track]
            }.state
            #expect(state.isEnabled == isEnabled)
        }
    }

    @Test("A rule's decision is kept until the rules are known; then the rules decide")
    func unknownRules() {
        let decision = State(isEnabled: true, level: .info, expires: Self.date + 1, source: .rule("gone"))
        #expect(decide(decision) { $0.rules = nil }.state == decision)
        #expect(decide(decision) { $0.rules = [] }.state == State())
        #expect(decide(decision) { $0.rules = [Self.rule("r")] }.state.source == .rule("r"))
        let ended = State(isEnabled: true, expires: Self.date, source: .rule("gone"))
        #expect(decide(ended) { $0.rules = nil }.state == State())
    }

    // MARK: Leases

    struct Grant: Sendable, CustomStringConvertible {
        var asked: TimeInterval?
        var byDefault: Duration?
        var maximum: Duration?
        var lease: TimeInterval?
        var result: String?
        var description: String { "\(String(describing: asked)) \(String(describing: maximum))" }
    }

    @Test(
        "A lease is the requested one or the default, cut to the maximum",
        arguments: [
            Grant(),
            Grant(asked: 60, lease: 60),
            Grant(asked: 0.5, byDefault: .seconds(10), lease: 0.5),
            Grant(byDefault: .seconds(900), lease: 900, result: "lease set to 900 s"),
            Grant(maximum: .seconds(3600), lease: 3600, result: "lease cut to 3600 s"),
            Grant(asked: 7200, maximum: .seconds(3600), lease: 3600, result: "lease cut to 3600 s"),
            Grant(asked: 3600, maximum: .seconds(3600), lease: 3600),
            Grant(byDefault: .seconds(7200), maximum: .seconds(3600), lease: 3600, result: "lease cut to 3600 s"),
            Grant(byDefault: .seconds(60), maximum: .seconds(3600), lease: 60, result: "lease set to 60 s"),
            Grant(asked: 2, maximum: .milliseconds(1_500), lease: 1.5, result: "lease cut to 1.5 s"),
        ])
    func leases(grant: Grant) throws {
        let policy = TelemetryPolicy(defaultLease: grant.byDefault, maximumLease: grant.maximum)
        let granted = try LeaseGrant(level: .info, lease: grant.asked, policy: policy)
        #expect(granted.lease == grant.lease && granted.result == grant.result && granted.level == .info)
        #expect(granted.expires(from: Self.date) == grant.lease.map { Self.date + $0 })
    }

    @Test("A level above the policy's is cut, and the result contains both cuts")
    func levels() throws {
        let policy = TelemetryPolicy(maximumLevel: .info, maximumLease: .seconds(60))
        #expect(try LeaseGrant(level: .info, lease: 1, policy: policy).result == nil)
        for level in [TelemetryLogLevel.diagnostic, nil] {
            let granted = try LeaseGrant(level: level, lease: 120, policy: policy)
            #expect(granted.level == .info && granted.result == "level cut to info; lease cut to 60 s")
        }
        #expect(try LeaseGrant(level: nil, lease: nil, policy: TelemetryPolicy()).level == .diagnostic)
    }

    @Test(
        "A lease that is not a positive number of seconds is refused",
        arguments: [0, -1, -0.0, .nan, .infinity, -.infinity] as [TimeInterval])
    func noLeases(lease: TimeInterval) {
        #expect(throws: CommandRefused.self) { try LeaseGrant(level: nil, lease: lease, policy: TelemetryPolicy()) }
    }
}
