#if DEBUG
import Foundation
@testable import TelemetryDebugLogging
import TelemetryModels
import TelemetryTestSupport

/// A debug logger on a manual clock, with helpers to log and to compare entries.
@MainActor
struct DebugLoggerBench {
    let clock = ManualClock()

    func logger(
        _ shipper: any DebugLogShipping, batchSize: Int = 50, capacity: Int = 1000,
        diagnostics: TelemetryDiagnosticsHandler? = nil
    ) -> DebugLogger {
        DebugLogger(
            configuration: .init(source: .ios, batchSize: batchSize, capacity: capacity), shipper: shipper, clock: clock,
            now: { Date(timeIntervalSince1970: 1000) }, diagnostics: diagnostics)
    }

    func log(_ range: ClosedRange<Int>, _ logger: DebugLogger) {
        for number in range { logger.log(event: "\(number)") }
    }

    func names(_ range: ClosedRange<Int>) -> [String] { range.map(String.init) }
}

extension DebugLogger {
    /// Waits for the flush in progress, without starting one.
    func flushUnderWay() async { for lane in lanes { await lane.drain?.value } }
}
#endif
