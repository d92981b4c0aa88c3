import Foundation
import Testing

@testable import ViewerKit

struct RateWindowTests {
    private let start = Date(timeIntervalSince1970: 1_000_000)

    /// Ten events a second for these seconds.
    private func window(_ seconds: Range<Int>) -> RateWindow {
        var window = RateWindow()
        for tenth in seconds.lowerBound * 10..<seconds.upperBound * 10 {
            window.add("", at: start + Double(tenth) / 10 + 0.05)
        }
        return window
    }

    @Test(
        "A rate is the mean of two seconds, and follows a change within that time",
        arguments: [(10.0, 10.0), (9.5, 10), (1, 5), (2, 10), (20.2, 10), (21, 10), (22, 5), (23, 0)])
    func mean(seconds: Double, rate: Double) {
        var window = RateWindow()
        for tenth in 0..<min(200, Int(seconds * 10)) { window.add("", at: start + Double(tenth) / 10 + 0.05) }
        #expect(window.rate(of: "", at: start + seconds) == rate)
    }

    @Test("The counts of whole seconds are shown as bars")
    func bars() {
        #expect(window(0..<3).last(4, of: "", at: start + 3) == [0, 10, 10, 10])
        #expect(window(0..<3).last(2, of: "other", at: start + 3) == [0, 0])
    }

    @Test("Old counts are removed")
    func removal() {
        var window = window(0..<3)
        window.removeCounts(before: start + 100)
        #expect(window.last(60, of: "", at: start + 10).allSatisfy { $0 == 0 })
    }
}
