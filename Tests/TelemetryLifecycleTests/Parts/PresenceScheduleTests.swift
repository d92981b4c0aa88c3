import Foundation
import Testing

@testable import TelemetryLifecycle

struct PresenceScheduleTests {
    private static let start = Date(timeIntervalSinceReferenceDate: 0)

    @Test(
        "After a write the next one is due once the interval has passed since the last one of any process",
        arguments: [
            (elapsed: 0.0, stored: nil as TimeInterval?, isDue: false), (899.9, nil, false), (900, nil, true), (1e9, nil, true),
            (900, 0, true), (900, 1, false), (900, 900, false), (1_801, 901, true),
            // The clock was set back.
            (-1, nil, true), (-1, 0, true), (-1, -2, false),
            // The clock of the other process was ahead.
            (0, 3_600, false), (900, 3_600, true),
        ])
    func interval(elapsed: TimeInterval, stored: TimeInterval?, isDue: Bool) {
        var schedule = PresenceSchedule(interval: .seconds(900))
        schedule.noteWrite(for: "a", at: Self.start)
        let last = stored.map { Self.start + $0 }
        #expect(schedule.isDue(for: "a", stored: last, at: Self.start + elapsed) == isDue)
    }

    @Test("The first write of a process or of a client is due", arguments: [nil, Duration.seconds(900)])
    func first(interval: Duration?) {
        var schedule = PresenceSchedule(interval: interval)
        #expect(schedule.isDue(for: "a", stored: Self.start, at: Self.start))
        schedule.noteWrite(for: "a", at: Self.start)
        #expect(!schedule.isDue(for: "a", stored: nil, at: Self.start))
        #expect(schedule.isDue(for: "b", stored: Self.start, at: Self.start))
    }

    @Test("Without an interval there is one write")
    func never() {
        var schedule = PresenceSchedule(interval: nil)
        schedule.noteWrite(for: "a", at: Self.start)
        #expect(!schedule.isDue(for: "a", stored: nil, at: .distantFuture))
    }
}
