import Foundation
import Synchronization

/// The deliveries of the current calendar day.
struct DailyDeliveries: Sendable {
    /// The day of the counted deliveries, from midnight to midnight; nil before the first one.
    private var day: Range<Date>?
    private var count = TelemetryDeliveryCount()

    /// Adds a delivery. A delivery on another day than the previous one begins a new count.
    mutating func add(_ delivered: TelemetryDeliveryCount, at date: Date, in calendar: Calendar) {
        if !isToday(date) {
            let start = calendar.startOfDay(for: date)
            // A day may be shorter or longer than 24 hours.
            let end = calendar.date(byAdding: .day, value: 1, to: start).map(calendar.startOfDay) ?? start + 86_400
            day = start..<max(start, end)
            count = TelemetryDeliveryCount()
        }
        count.events += delivered.events
        count.bytes += delivered.bytes
    }

    /// The deliveries of the date's day.
    func count(at date: Date) -> TelemetryDeliveryCount { isToday(date) ? count : TelemetryDeliveryCount() }

    private func isToday(_ date: Date) -> Bool { day?.contains(date) ?? false }
}

/// Counts what a logger delivers. May be used on any thread.
final class DeliveryCounter: Sendable {
    private let deliveries = Mutex(DailyDeliveries())
    private let calendar: Calendar
    private let date: @Sendable () -> Date

    /// - Parameter date: Returns the date of event timestamps.
    init(calendar: Calendar, date: @escaping @Sendable () -> Date) {
        self.calendar = calendar
        self.date = date
    }

    /// The deliveries since midnight.
    var today: TelemetryDeliveryCount {
        let date = date()
        return deliveries.withLock { $0.count(at: date) }
    }

    /// Counts the events of a batch that the transport accepted.
    /// - Parameters:
    ///   - outcome: The result of the delivery.
    ///   - ends: The offset at which each event's frame ends.
    ///   - start: The offset at which the first event's frame begins.
    func add(_ outcome: BatchOutcome, ends: [Int], from start: Int) {
        func size(_ events: Range<Int>) -> Int {
            events.isEmpty ? 0 : ends[events.upperBound - 1] - (events.lowerBound == 0 ? start : ends[events.lowerBound - 1])
        }
        let events = outcome.handled - outcome.rejected.count
        guard events > 0 else { return }
        let bytes = size(0..<outcome.handled) - outcome.rejected.reduce(0) { $0 + size($1..<($1 + 1)) }
        let date = date()
        deliveries.withLock { $0.add(.init(events: UInt64(events), bytes: UInt64(bytes)), at: date, in: calendar) }
    }
}
