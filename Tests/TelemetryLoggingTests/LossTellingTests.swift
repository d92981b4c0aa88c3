import Foundation
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// The sum of the drop reports in the stream equals the number of dropped events.
struct LossTellingTests {
    @Test(
        "A lost drop report is sent again",
        arguments: [false, true])
    func toldAgain(isSpooled: Bool) async throws {
        let directory = TemporaryDirectory()
        let bench = await Bench.active(
            .init(
                spoolDirectory: isSpooled ? directory.url : nil, spool: .init(maximumBytes: 128 << 10), memoryLimit: 128 << 10))
        bench.transport.isOffline = true
        for _ in 1...6 {
            for number in 1...4_000 {
                bench.logger.logEvent(name: "event \(number)", property1: String(repeating: "x", count: 50))
            }
            await bench.logger.flush()
        }
        bench.transport.isOffline = false
        await bench.logger.flush()
        await bench.logger.flush()
        let reports = try await bench.stored.filter { $0.name == TelemetryLogger.droppedEventName }
        let told = reports.reduce(0) { sum, event in
            if case .int(let count)? = event.attributes["full"] { sum + Int(count) } else { sum }
        }
        #expect(UInt64(told) == bench.logger.statistics.dropped[.full])
        #expect(try await UInt64(bench.stored.count) + UInt64(told) == bench.logger.statistics.logged)
    }
}
