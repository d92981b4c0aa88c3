import Foundation
import TelemetryModels
import Testing
import ViewerKit

@testable import telemetry

struct LedgerTests {
    private func event(_ number: Int, session: String = "s", run: Int = 1, scenario: String = "A", sequence: Int? = nil)
        -> TelemetryEvent
    {
        TelemetryEvent(
            eventId: "\(session)-\(number)", sessionId: session, sequence: UInt64(sequence ?? number), name: "e",
            attributes: ["number": .int(Int64(number)), "run": .int(Int64(run))], scenario: scenario)
    }

    private func tally(_ numbers: ClosedRange<Int>, scenario: String = "A") -> [(key: Ledger.Key, scenario: String)] {
        numbers.map { (Ledger.Key(session: "s", number: $0), scenario) }
    }

    @Test("Events that arrive once, in order and while enabled cause no fault")
    func clean() {
        let ledger = Ledger(
            tally: tally(1...3), arrivals: [event(1), event(2), event(3)], off: [.init(session: "s", number: 1): ["B"]])
        #expect(ledger.faults(kills: 0) == [])
        #expect(ledger.scenarios["A"] == .init(logged: 3, delivered: 3))
    }

    @Test("Every kind of discrepancy is a fault")
    func faults() {
        func faults(_ arrivals: [TelemetryEvent], kills: Int = 0, off: [Ledger.Run: Set<String>] = [:]) -> [String] {
            Ledger(tally: tally(1...3), arrivals: arrivals, off: off).faults(kills: kills)
        }
        let all = [event(1), event(2), event(3)]
        #expect(faults([event(1), event(2)]) == ["A: 1 events were logged but did not arrive."])
        #expect(faults([event(1), event(3)]).contains("1 sequence numbers are missing."))
        #expect(faults(all + [event(3)]) == ["A: 1 events arrived more than once."])
        #expect(faults([event(1), event(3), event(2)]).contains { $0.hasSuffix("arrived out of order.") })
        #expect(faults(all + [event(4)]) == ["1 events arrived that the host did not log."])
        #expect(faults(all, off: [.init(session: "s", number: 1): ["A"]]) == ["A: 3 events were recorded while it was disabled."])
        let dropped = TelemetryEvent(
            sessionId: "s", sequence: 4, name: TelemetryEvent.dropReportName, attributes: ["overflow": 2, "oversized": 1])
        #expect(faults(all + [dropped]) == ["The logger dropped 3 events."])
    }

    @Test("Each kill permits one uncounted event")
    func kill() {
        let ledger = Ledger(tally: tally(1...2), arrivals: [event(1), event(2), event(3)], off: [:])
        #expect(ledger.uncounted == 1)
        #expect(ledger.faults(kills: 1) == [])
        let two = Ledger(tally: tally(1...1), arrivals: [event(1), event(2), event(3)], off: [:])
        #expect(two.faults(kills: 1) == ["2 events arrived that the host did not log."])
    }
}
