import Foundation
import Synchronization

extension TelemetryLogger: TelemetryDeliveryCounting {
    package nonisolated var deliveredToday: TelemetryDeliveryCount {
        let date = date
        return deliveries.withLock { $0.count(at: date) }
    }

    /// Counts the events of a batch that the transport accepted.
    /// - Parameters:
    ///   - outcome: The result of the delivery.
    ///   - ends: The offset at which each event's frame ends.
    ///   - start: The offset at which the first event's frame begins.
    nonisolated func countDelivery(_ outcome: BatchOutcome, ends: [Int], from start: Int) {
        func size(_ events: Range<Int>) -> Int {
            events.isEmpty ? 0 : ends[events.upperBound - 1] - (events.lowerBound == 0 ? start : ends[events.lowerBound - 1])
        }
        let events = outcome.handled - outcome.rejected.count
        guard events > 0 else { return }
        let bytes = size(0..<outcome.handled) - outcome.rejected.reduce(0) { $0 + size($1..<($1 + 1)) }
        let (date, calendar) = (date, configuration.calendar)
        deliveries.withLock { $0.add(.init(events: UInt64(events), bytes: UInt64(bytes)), at: date, in: calendar) }
    }

    /// The date of event timestamps.
    private nonisolated var date: Date { Date(timeIntervalSinceReferenceDate: capture.secondsSinceReference) }
}
