#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The stored form of dates, for the tools, which are a package of their own; not part of the interface.
@_spi(Tooling)
public enum TimestampText {
    /// Appends the text's ASCII bytes; appends nothing and returns false for a date outside the years 1 to 9999.
    public static func append(_ date: Date, to bytes: inout [UInt8]) -> Bool { TimestampFormat.append(date, to: &bytes) }

    /// The same text for a clock that is so many seconds ahead of UTC; the letter at its end is `Z` all the same. Nil where that
    /// clock is outside the years 1 to 9999.
    public static func string(from date: Date, secondsFromUTC offset: Int) -> String? {
        var bytes: [UInt8] = []
        guard TimestampFormat.append(date, secondsFromUTC: Int64(offset), to: &bytes) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Nil for what is no date in UTC.
    public static func date(from text: String) -> Date? { TimestampFormat.date(from: text) }
}
