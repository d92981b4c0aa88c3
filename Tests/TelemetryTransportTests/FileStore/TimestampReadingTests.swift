import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
@_spi(Tooling) import TelemetryTransport
import Testing

struct TimestampReadingTests {
    @Test("A time is read the same after any other line's time, and an invalid one is not read")
    func sameAsAlone() {
        let seconds = [
            "2026-11-21T08:00:00", "2026-11-21T08:00:01", "2026-11-21T09:00:00", "0001-01-01T00:00:00", "9999-12-31T23:59:59",
            "2026-13-21T08:00:00", "2026-11-21 08:00:00", "2026-11-21T08:00:60", "2027-02-29T08:00:00", "",
        ]
        let fractions = ["Z", ".5Z", ".000Z", ".123456789Z", ".Z", ".1234567890Z", ",5Z", ".5", ".5z", ".-5Z", "Z0", ""]
        var random = SeededGenerator(seed: randomSeed)
        let texts = seconds.flatMap { second in fractions.map { second + $0 } }
        let order = (0..<5).flatMap { _ in texts.shuffled(using: &random) }
        let alone = order.compactMap { TimestampFormat.date(from: $0) }
        #expect(decode(order) == alone, "seed \(randomSeed)")
        #expect(Set(alone).count == 5 * 3)
    }

    private func decode(_ times: [String]) -> [Date] {
        let header = #"{"header":{"session":"s"},"checksum":"0beea8d6"}"#
        let lines = times.enumerated().map { #"{"seq":\#($0),"time":"\#($1)","name":"n"}"# }
        return EventLines.decode(Array(([header] + lines + [""]).joined(separator: "\n").utf8)).map(\.timestamp)
    }
}
