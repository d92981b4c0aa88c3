public import Foundation

/// Moments as a person reads them, in the machine's time zone, and as programs do, in UTC.
public struct TimeText: Sendable {
    private let clock: Date.VerbatimFormatStyle
    private let day: Date.VerbatimFormatStyle

    public init(timeZone: TimeZone = .current) {
        let calendar = Calendar(identifier: .gregorian)
        clock = Date.VerbatimFormatStyle(
            format: """
                \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
                \(second: .twoDigits).\(secondFraction: .fractional(3))
                """,
            locale: Locale(identifier: "en_US_POSIX"), timeZone: timeZone, calendar: calendar)
        day = Date.VerbatimFormatStyle(
            format: "\(year: .padded(4))-\(month: .twoDigits)-\(day: .twoDigits)",
            locale: Locale(identifier: "en_US_POSIX"), timeZone: timeZone, calendar: calendar)
    }

    /// `14:03:59.123`
    public func time(_ date: Date) -> String { clock.format(date) }

    /// `2026-11-21 14:03:59`: for a list that has no room for more.
    public func dayAndSecond(_ date: Date) -> String { String(dayAndTime(date).dropLast(4)) }

    /// `2026-11-21 14:03`
    public func dayAndMinute(_ date: Date) -> String { String(dayAndTime(date).dropLast(7)) }

    /// `2026-11-21 14:03:59.123`
    public func dayAndTime(_ date: Date) -> String { "\(day.format(date)) \(clock.format(date))" }
}
