import Foundation
@_spi(Tooling) import TelemetryModels
import Testing

struct TriggerTests {
    private static let date = Date(timeIntervalSince1970: 1_795_248_000)

    private static func trigger(
        count: Int = 1, action: TelemetryTrigger.Action = .capture(lookback: nil), limit: Int = 1
    ) -> TelemetryTrigger {
        TelemetryTrigger(when: .all, count: count, within: 10, action: action, limit: limit, per: 100)
    }

    // MARK: The stored form

    @Test("The stored form of a trigger")
    func storedTrigger() throws {
        let when = try TelemetryQuery("severity:>=error  AND status:>=500")
        let capture = TelemetryTrigger(when: when, count: 3, within: 90, action: .capture(lookback: 300), limit: 2, per: 86_400)
        let text = #""count":3,"limit":2,"per":86400,"when":"severity:>=error status:>=500","within":90}"#
        try expect(capture, #"{"action":{"capture":{"lookback":300}},"# + text)
        var changed = capture
        changed.action = .capture(lookback: nil)
        try expect(changed, #"{"action":{"capture":{}},"# + text)
        changed.action = .enable(lease: 600)
        try expect(changed, #"{"action":{"enable":{"lease":600}},"# + text)
    }

    private func expect(_ trigger: TelemetryTrigger, _ text: String) throws {
        #expect(try json(trigger) == text)
        #expect(try fromJSON(text) == trigger)
    }

    @Test("Members that are missing have the defaults of the initializer, and unknown ones are ignored")
    func defaults() throws {
        let trigger: TelemetryTrigger = try fromJSON(#"{"when":"a","action":{"capture":{"later":1}},"later":[]}"#)
        #expect(trigger == TelemetryTrigger(when: try TelemetryQuery("a"), action: .capture(lookback: nil)))
        #expect(trigger.count == 1 && trigger.within == 60 && trigger.limit == 1 && trigger.per == 3_600 && trigger.isValid)
    }

    @Test("The largest numbers are valid")
    func largest() throws {
        let most = TelemetryTrigger.maximumCount
        let trigger = TelemetryTrigger(
            when: .all, count: most, within: .greatestFiniteMagnitude, action: .enable(lease: .leastNonzeroMagnitude),
            limit: most, per: .leastNonzeroMagnitude)
        #expect(trigger.isValid)
        #expect(try fromJSON(try json(trigger)) == trigger)
    }

    /// Each with one value that is not valid.
    private static let invalid = [
        #"{"action":{"capture":{}}}"#, #"{"when":"a"}"#, #"{"when":"a","action":{}}"#, #"{"when":"a","action":{"delete":{}}}"#,
        #"{"when":"a","action":{"capture":{},"enable":{"lease":1}}}"#, #"{"when":"a","action":{"enable":{}}}"#,
        #"{"when":"a","action":"capture"}"#, #"{"when":"a","action":{"capture":{"lookback":"5m"}}}"#,
        #"{"when":"a","action":{"capture":{"lookback":0}}}"#, #"{"when":"a","action":{"capture":{"lookback":-1}}}"#,
        #"{"when":"a","action":{"enable":{"lease":0}}}"#, #"{"when":"a | limit 1","action":{"capture":{}}}"#,
        #"{"when":"(","action":{"capture":{}}}"#, #"{"when":1,"action":{"capture":{}}}"#,
        #"{"when":"a","count":0,"action":{"capture":{}}}"#, #"{"when":"a","count":10001,"action":{"capture":{}}}"#,
        #"{"when":"a","count":1.5,"action":{"capture":{}}}"#, #"{"when":"a","within":0,"action":{"capture":{}}}"#,
        #"{"when":"a","within":-1,"action":{"capture":{}}}"#, #"{"when":"a","within":1e999,"action":{"capture":{}}}"#,
        #"{"when":"a","limit":0,"action":{"capture":{}}}"#, #"{"when":"a","limit":10001,"action":{"capture":{}}}"#,
        #"{"when":"a","per":0,"action":{"capture":{}}}"#, #"{"when":"a","per":"1h","action":{"capture":{}}}"#,
    ]

    @Test("A stored trigger with a value that is not valid is refused", arguments: invalid)
    func refused(text: String) {
        #expect(throws: DecodingError.self) { try fromJSON(text, as: TelemetryTrigger.self) }
    }

    @Test("A rule whose trigger cannot be read applies to nobody, and writing it keeps the text", arguments: invalid)
    func unreadableRule(text: String) throws {
        var record = TelemetryRuleRecord(recordID: "r", ruleId: "1", scenarioName: "Net", created: Self.date).toRecord()
        record["trigger"] = .string(text)
        var rule = try TelemetryRuleRecord(record: record)
        #expect(!rule.isReadable && rule.trigger == nil && !rule.applies(to: "c", attributes: [:]))
        #expect(rule.toRecord() == record)
        rule.trigger = Self.trigger()
        #expect(rule.isReadable && rule.applies(to: "c", attributes: [:]) && rule.toRecord()["trigger"] != .string(text))
    }

    @Test("A rule's record has the trigger as JSON text, or no field")
    func record() throws {
        var rule = TelemetryRuleRecord(recordID: "r", ruleId: "1", scenarioName: "Net", created: Self.date)
        #expect(rule.toRecord()["trigger"] == nil)
        rule.trigger = TelemetryTrigger(when: try TelemetryQuery("a"), action: .enable(lease: 600))
        let text = #"{"action":{"enable":{"lease":600}},"count":1,"limit":1,"per":3600,"when":"a","within":60}"#
        #expect(rule.toRecord()["trigger"] == .string(text))
        #expect(try TelemetryRuleRecord(record: rule.toRecord()) == rule)
        rule.trigger?.count = 0
        #expect(!rule.applies(to: "c", attributes: [:]))
    }

    // MARK: Counting

    private func outcomes(
        _ trigger: TelemetryTrigger, _ events: [(seconds: Double, isOwn: Bool)]
    ) -> [TriggerCounter.Outcome] {
        var counter = TriggerCounter()
        return events.map { counter.add($0.seconds, isOwn: $0.isOwn, to: trigger) }
    }

    @Test("A trigger acts once enough events are within the period, by their own times in both directions")
    func counting() {
        let events = [0, 10, 21, 31, 30, 31.5].map { (seconds: $0, isOwn: false) }
        let trigger = Self.trigger(count: 3, limit: 10)
        #expect(
            outcomes(trigger, events) == [.counted(1), .counted(2), .counted(1), .counted(2), .acts(3), .counted(1)])
        let back = [100.0, 101, 50, 51, 52].map { (seconds: $0, isOwn: false) }
        #expect(outcomes(trigger, back) == [.counted(1), .counted(2), .counted(1), .counted(2), .acts(3)])
    }

    @Test("The limit holds actions back within its period, and what was counted begins anew")
    func limit() {
        let events = [0.0, 1, 2, 3, 99, 99.5, 100, 101].map { (seconds: $0, isOwn: false) }
        #expect(
            outcomes(Self.trigger(count: 2), events)
                == [.counted(1), .acts(2), .counted(1), .heldBack, .counted(1), .heldBack, .counted(1), .acts(2)])
    }

    @Test("Events of the scenario that a trigger enabled do not count during the lease; captured ones do")
    func own() {
        let events = [(0.0, true), (5, true), (5, false), (25, true)].map { (seconds: $0.0, isOwn: $0.1) }
        #expect(
            outcomes(Self.trigger(action: .enable(lease: 20), limit: 3), events) == [.acts(1), .ownEvent, .acts(1), .acts(1)])
        #expect(outcomes(Self.trigger(limit: 4), events) == [.acts(1), .acts(1), .acts(1), .acts(1)])
    }

    // MARK: Conditions

    @Test(
        "The conditions of a query are those that must all hold, each in its canonical text",
        arguments: [
            ("", []), ("a", ["a"]), ("a or b", ["a or b"]), ("-(a b)", ["-(a b)"]),
            ("x:*  AND (a OR b) not c", ["x:*", "a or b", "-c"]),
            ("(a (b c))", ["a", "b", "c"]), ("severity:>=warn y:in(1,2) | limit 1", ["severity:>=warning", "y:in(1, 2)"]),
        ])
    func conditions(text: String, expected: [String]) throws {
        let conditions = try TelemetryQuery(text).conditions
        #expect(conditions.map(\.description) == expected)
        for condition in conditions { #expect(try TelemetryQuery(condition.description) == condition) }
    }
}
