import Foundation
import TelemetryModels
import Testing
import ViewerKit

struct TriggerReplayTests {
    private func event(
        _ seconds: TimeInterval, _ name: String = "n", session: String = "s", scenario: String? = nil,
        _ attributes: [String: TelemetryValue] = [:]
    ) -> TelemetryEvent {
        TelemetryEvent(
            clientId: "c", sessionId: session, name: name, timestamp: Date(timeIntervalSince1970: seconds),
            attributes: attributes, scenario: scenario)
    }

    private func result(
        _ when: String, count: Int = 1, action: TelemetryTrigger.Action = .capture(lookback: nil), limit: Int = 1,
        of events: [TelemetryEvent]
    ) throws -> TriggerReplay.Result {
        let trigger = TelemetryTrigger(when: try TelemetryQuery(when), count: count, action: action, limit: limit)
        var replay = TriggerReplay(of: trigger, on: "Net")
        for event in events { try replay.add(event) }
        return replay.result()
    }

    private func seconds(_ result: TriggerReplay.Result) -> [TimeInterval] {
        result.actions.map(\.date.timeIntervalSince1970)
    }

    @Test("Events are counted in the order of their times, whatever the order in which they were stored")
    func order() throws {
        let stored = [300.0, 0, 100, 20, 40].map { event($0) }
        let result = try result("*", count: 3, of: stored)
        #expect(seconds(result) == [40] && result.actions.first?.events == 3)
        #expect(result.events == 5 && result.matched == 5 && result.heldBack == 0 && result.nearestMiss == nil)
    }

    @Test("The limit holds actions back, and a new session knows nothing of the one before")
    func sessions() throws {
        let result = try result(
            "*", of: [event(0), event(10), event(20, session: "t"), event(30, session: "t"), event(3_600)])
        #expect(seconds(result) == [0, 20, 3_600] && result.heldBack == 2)
    }

    @Test("A captured event counts as it was when it was kept, and the library's events do not count")
    func captured() throws {
        let captured = event(0, "kept", ["telemetry.captured": true])
        #expect(try result("-telemetry.captured:*", of: [captured]).actions.count == 1)
        #expect(try result("true", of: [captured]).matched == 0)
        #expect(try result("*", of: [event(0, "telemetry.trigger"), event(0, "telemetry.session")]).events == 0)
    }

    @Test("A period before now is one before the event")
    func age() throws { #expect(try result("time:15m", of: [event(0)]).actions.count == 1) }

    @Test("Events of the scenario that a trigger enabled do not count during the lease")
    func own() throws {
        let events = [event(0), event(10, scenario: "Net"), event(20, scenario: "Other"), event(70, scenario: "Net")]
        #expect(seconds(try result("*", action: .enable(lease: 60), limit: 9, of: events)) == [0, 20])
        #expect(seconds(try result("*", limit: 9, of: events)) == [0, 10, 20, 70])
    }

    @Test("Without an action, the condition that failed alone most often and the latest nearest miss are found")
    func misses() throws {
        let result = try result(
            "name:=pay severity:>=error status:>=500",
            of: [
                event(3, "pay", ["severity": "info", "status": 503]), event(1, "pay", ["severity": "error", "status": 404]),
                event(2, "pay", ["severity": "error"]), event(9, "other"),
            ])
        #expect(result.actions.isEmpty && result.matched == 0 && result.events == 4)
        #expect(result.failures.map(\.condition.description) == ["status:>=500", "severity:>=error"])
        #expect(result.failures.map(\.events) == [2, 1])
        let miss = try #require(result.nearestMiss)
        #expect(miss.event.timestamp.timeIntervalSince1970 == 3 && miss.failed.map(\.description) == ["severity:>=error"])
        #expect(miss.values.map(\.field) == ["severity"] && miss.values.map(\.value) == ["info"])
    }

    @Test("The nearest miss may fail several conditions, and lack their fields")
    func farMiss() throws {
        let result = try result("name:=pay (b:=1 or a:=1) x", of: [event(0, "x"), event(1, "y")])
        let miss = try #require(result.nearestMiss)
        #expect(result.failures.isEmpty && miss.event.name == "x")
        #expect(miss.failed.map(\.description) == ["name:=pay", "b:=1 or a:=1"])
        #expect(miss.values.map(\.field) == ["a", "b", "name"] && miss.values.map(\.value) == [nil, nil, "x"])
    }

    @Test("If the count is never reached, the largest count is known")
    func largestCount() throws {
        let result = try result("*", count: 4, of: [0.0, 10, 61, 70, 71, 500].map { event($0) })
        #expect(result.actions.isEmpty && result.largestCount == 4 - 1 && result.matched == 6)
    }

    @Test(
        "A trigger is formatted with its action and its limit",
        arguments: [
            (1, TelemetryTrigger.Action.capture(lookback: 300), "severity:>=error → capture 5m, at most 1 per 1h"),
            (3, .capture(lookback: nil), "severity:>=error, 3 within 1m → capture all, at most 1 per 1h"),
            (1, .enable(lease: 600), "severity:>=error → enable 10m, at most 1 per 1h"),
        ])
    func text(count: Int, action: TelemetryTrigger.Action, expected: String) throws {
        let trigger = TelemetryTrigger(when: try TelemetryQuery("severity:>=error"), count: count, action: action)
        #expect(TriggerText.string(trigger) == expected)
        #expect(TriggerText.string(TelemetryTrigger(when: .all, action: action)).hasPrefix("* → "))
    }
}
