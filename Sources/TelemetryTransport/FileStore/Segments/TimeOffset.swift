import TelemetrySystem

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An event's time in milliseconds after that of its header, as event lines contain it: `36004`, or `36004.123457` for a date that is
/// not a whole number of milliseconds.
enum TimeOffset {
    /// About 285 years, the longest time between two dates with nanoseconds since 1970.
    private static let maximumMilliseconds: UInt64 = 9_000_000_000_000
    private static let nanosecondsPerMillisecond: Int64 = 1_000_000

    /// Returns false and appends nothing for a date that is not between 1970 and about the year 2255.
    @inline(__always)
    static func append(_ time: TimestampParts, after start: Int64, to buffer: ByteBuffer) -> Bool {
        guard let milliseconds = time.millisecondsSince1970, let nanoseconds = time.nanosecondsSince1970 else { return false }
        if time.isExact {
            buffer.append(decimal: milliseconds - start)
            return true
        }
        let offset = Int64(nanoseconds) - start * nanosecondsPerMillisecond
        if offset < 0 { buffer.append(UInt8(ascii: "-")) }
        let (whole, fraction) = offset.magnitude.quotientAndRemainder(dividingBy: UInt64(nanosecondsPerMillisecond))
        buffer.append(decimal: whole)
        buffer.append(UInt8(ascii: "."))
        buffer.append(decimal: Int64(fraction), digits: 6)
        return true
    }

    /// Reads the number; nil if the date is not between 1970 and about the year 2255.
    @inline(__always)
    static func date(_ scanner: inout JSONScanner, after start: Int64) -> Date? {
        nanoseconds(&scanner).flatMap { date($0, after: start) }
    }

    /// The date so many nanoseconds after the start; nil if it is not between 1970 and about the year 2255.
    @inline(__always)
    static func date(_ offset: Int64, after start: Int64) -> Date? {
        let (nanoseconds, isOverflown) = (start * nanosecondsPerMillisecond).addingReportingOverflow(offset)
        guard !isOverflown, nanoseconds >= 0 else { return nil }
        return EventTime.date(UInt64(nanoseconds))
    }

    /// Reads the number as nanoseconds; nil if it has another form or is too large.
    @inline(__always)
    static func nanoseconds(_ scanner: inout JSONScanner) -> Int64? {
        let isNegative = scanner.consume(exactly: "-")
        guard let whole = scanner.digits(), whole <= maximumMilliseconds else { return nil }
        var offset = Int64(whole) * nanosecondsPerMillisecond
        if scanner.consume(exactly: ".") {
            let first = scanner.position
            guard let fraction = scanner.digits(), scanner.position - first == 6 else { return nil }
            offset += Int64(fraction)
        }
        return isNegative ? -offset : offset
    }
}
