import Foundation
import TelemetryModels
import Testing

@testable import ViewerKit

struct HostileNumberTests {
    private static let most = UInt64(Int64.max)

    private func event(_ sequence: UInt64, session: String = "s") -> TelemetryEvent {
        TelemetryEvent(sessionId: session, sequence: sequence, name: "n")
    }

    private func drops(_ counts: [String: TelemetryValue], session: String = "s") -> TelemetryEvent {
        TelemetryEvent(sessionId: session, sequence: 1, name: TelemetryEvent.dropReportName, attributes: counts)
    }

    private func summary(_ events: [TelemetryEvent]) -> EventSummary {
        var summary = EventSummary()
        for event in events { summary.add(event) }
        return summary
    }

    private func log(_ events: [TelemetryEvent]) -> EventLog {
        var log = EventLog()
        for event in events { log.add(event) }
        return log
    }

    @Test("The number of missing events is clamped to the maximum, in one session and in total")
    func gaps() {
        let ends = [event(0), event(Self.most)]
        #expect(summary(ends).missing == Int.max - 1)
        #expect(log(ends).missing == Int.max - 1)
        let twice = ends + [event(0, session: "t"), event(Self.most, session: "t")]
        #expect(summary(twice).missing == .max)
        #expect(log(twice).missing == .max)
        #expect(log([event(Self.most), event(Self.most), event(0)]).missing == 0)
        #expect(summary([event(3), event(3), event(4), event(9)]).missing == 3)
        var model = WatchModel(store: "/store", now: .now)
        for _ in 0..<2 { model.receive(ends, skipped: .max) }
        #expect(model.missing == .max)
    }

    @Test(
        "The number of reported drops is clamped to the maximum, and negative counts are ignored",
        arguments: [
            ([["a": .int(.max), "b": 1]], Int64.max), ([["a": .int(.max)], ["a": .int(.max)]], .max),
            ([["a": .int(.min), "b": .int(.min)]], 0), ([["a": .int(.min), "b": 3], ["a": -1]], 3), ([["a": 2, "b": "x"]], 2),
        ] as [([[String: TelemetryValue]], Int64)])
    func dropped(counts: [[String: TelemetryValue]], sum: Int64) {
        let ofOne = counts.map { drops($0) }
        let ofMany = counts.enumerated().map { drops($1, session: "\($0)") }
        for events in [ofOne, ofMany] {
            #expect(summary(events).dropped == sum)
            var model = WatchModel(store: "/store", now: .now)
            model.receive(events, skipped: 0)
            #expect(model.dropped == Int(clamping: sum))
        }
    }

    @Test(
        "An event with any date is counted", arguments: [-1e300, -1e12, -62_135_596_800, 253_402_300_799, 1e12, 1e300, .infinity])
    func dates(seconds: Double) {
        let event = TelemetryEvent(sessionId: "s", name: "n", timestamp: Date(timeIntervalSince1970: seconds))
        #expect(summary([event]).hours.values.reduce(0, +) == 1)
    }
}
