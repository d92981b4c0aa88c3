import TelemetryModels

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A date in the parts of its text: whole seconds and a fraction of three digits or, if they are not exact, nine.
package struct TimestampParts {
    /// Since 1970, rounded down.
    package let seconds: Int64
    /// The fraction of the second; 1,000,000,000 or 1,000 if it was rounded up to the next second.
    package let nanoseconds: Int64
    package let milliseconds: Int64
    /// Whether the date is a whole number of milliseconds.
    package let isExact: Bool

    /// Nil if the date is not a number, or more than 30,000 years away.
    @inline(__always)
    package init?(_ date: Date) {
        let interval = date.timeIntervalSinceReferenceDate
        // Also false for a value that is not a number.
        guard abs(interval) < 1e12 else { return nil }
        let whole = interval.rounded(.down)
        seconds = Int64(whole) + TimestampFormat.secondsFrom1970ToReference
        nanoseconds = Int64(((interval - whole) * 1e9).rounded())
        milliseconds = (nanoseconds + 500_000) / 1_000_000
        isExact = Date(timeIntervalSince1970: Double(seconds * 1_000 + milliseconds) / 1_000) == date
    }

    /// The time rounded to milliseconds; nil before 1970 and after about the year 2255.
    @inline(__always)
    package var millisecondsSince1970: Int64? {
        guard seconds >= 0, seconds < EventTime.maximumSeconds else { return nil }
        let milliseconds = seconds * 1_000 + milliseconds
        // One that was rounded up to the limit is beyond it.
        return milliseconds < EventTime.maximumSeconds * 1_000 ? milliseconds : nil
    }

    /// The nanoseconds since 1970 that a reader of the text gets; nil before 1970 and after about the year 2255.
    @inline(__always)
    package var nanosecondsSince1970: UInt64? {
        guard seconds >= 0, seconds < EventTime.maximumSeconds else { return nil }
        return isExact
            ? UInt64(seconds * 1_000 + milliseconds) * 1_000_000 : UInt64(seconds) * 1_000_000_000 + UInt64(nanoseconds)
    }
}
