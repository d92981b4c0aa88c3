#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The stored form of dates, for the viewer and the relay, which are separate packages; not part of the public interface.
@_spi(Tooling)
public enum TimestampText {
    /// The text of a date; nil outside the years 1 to 9999.
    public static func string(from date: Date) -> String? { TimestampFormat.string(from: date) }

    /// The text of the date; outside the years 1 to 9999, that of the nearest date inside.
    public static func string(nearest date: Date) -> String {
        string(from: date) ?? (date < Date(timeIntervalSince1970: 0) ? "0001-01-01T00:00:00.000Z" : "9999-12-31T23:59:59.999Z")
    }

    /// The local time of a clock that is `offset` seconds ahead of UTC, with the suffix `Z`; nil outside the years 1 to 9999.
    public static func string(from date: Date, secondsFromUTC offset: Int) -> String? {
        var bytes: [UInt8] = []
        guard TimestampFormat.append(date, secondsFromUTC: Int64(offset), to: &bytes) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The date of a text in UTC with at most nine fractional digits; nil for any other text.
    public static func date(from text: String) -> Date? { TimestampFormat.date(from: text) }

    /// The seconds since 1 January 1970 and the nanoseconds of a text in UTC with at most nine fractional digits, exactly; nil
    /// for any other text.
    public static func components(of text: String) -> (seconds: Int64, nanoseconds: Int64)? {
        var text = text
        return text.withUTF8 { bytes in
            guard let seconds = TimestampFormat.seconds(from: bytes),
                let nanoseconds = TimestampFormat.nanoseconds(fractionOf: bytes)
            else { return nil }
            return (seconds, nanoseconds)
        }
    }
}
