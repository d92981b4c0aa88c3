import Foundation

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
