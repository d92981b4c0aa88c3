import Foundation
import TelemetryModels
import Testing

@testable import TelemetryRelay

/// When an alert fires.
struct AlertWindowTests {
    @Test(
        "An alert fires at the last of so many events within its time, and then not before it was quiet",
        arguments: [
            (1, 60, 10, [0, 1, 9, 10, 19, 20, 21], [0, 3, 5]),
            (3, 5, 1, [0, 1, 2, 3, 4, 5], [2, 5]),
            (3, 5, 1, [0, 3, 6, 8, 20, 25, 25], [3, 6]),
            (3, 5, 100, [0, 1, 2, 50, 51, 52, 99, 100, 101, 102, 103], [2, 9]),
            (2, 60, 10, [0, 0, 0, 0, 10, 10], [1, 4]),
            (2, 60, 10, [], []),
        ])
    func fires(count: Int, within: Int, quiet: Int, seconds: [Int64], expected: [Int]) {
        let condition = RelayAlert.Events(query: .all, count: count, within: within)
        let times = seconds.map { $0 * 1_000 }
        var together = AlertWindow()
        #expect(together.add(times, for: condition, quiet: quiet) == expected)
        // One by one, and from the stored form each time.
        var window = AlertWindow()
        var firings: [Int] = []
        for (index, time) in times.enumerated() {
            if !window.add([time], for: condition, quiet: quiet).isEmpty { firings.append(index) }
            window = (try? AlertWindow(stored: window.stored, fired: window.fired)) ?? AlertWindow()
            #expect(window.recent.count < max(count, 1))
        }
        #expect(firings == expected && window == together)
    }
}
