public import Foundation
@_spi(Tooling) import TelemetryModels

/// Formats dates for users, by default in the machine's time zone, in the calendar of the stored form.
public struct TimeText: Sendable {
    private let timeZone: TimeZone

    public init(timeZone: TimeZone = .current) { self.timeZone = timeZone }

    /// `14:03:59.123`
    public func time(_ date: Date) -> String { String(dayAndTime(date).suffix(12)) }

    /// `2026-11-21`
    public func day(_ date: Date) -> String { String(dayAndTime(date).prefix(10)) }

    /// `2026-11-21 14:03:59`, for narrow columns.
    public func dayAndSecond(_ date: Date) -> String { String(dayAndTime(date).dropLast(4)) }

    /// `2026-11-21 14:03`
    public func dayAndMinute(_ date: Date) -> String { String(dayAndTime(date).dropLast(7)) }

    /// `2026-11-21 14:03:59.123`
    public func dayAndTime(_ date: Date) -> String {
        let text =
            TimestampText.string(from: date, secondsFromUTC: timeZone.secondsFromGMT(for: date))
            // On the first and the last day the local time may be outside the years 1 to 9999.
            ?? TimestampText.string(from: date, secondsFromUTC: 0) ?? "????-??-??T??:??:??.???Z"
        return String(text.prefix(23)).replacing("T", with: " ")
    }
}
