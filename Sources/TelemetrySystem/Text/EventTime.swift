import TelemetryModels

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The time of an event in whole nanoseconds since 1970, as its line in a segment has it.
package enum EventTime {
    /// How much the order of two dates may differ from that of their nanoseconds: a `Date` has a precision of about 240 ns.
    package static let precision: UInt64 = 1_000

    /// About the year 2255, beyond which nanoseconds do not fit.
    package static let maximumSeconds: Int64 = 9_000_000_000

    /// The nanoseconds that a reader of the line gets; nil before 1970 and after about the year 2255.
    @inline(__always)
    package static func nanoseconds(of date: Date) -> UInt64? { TimestampParts(date)?.nanosecondsSince1970 }

    /// The date that a reader of the line gets.
    package static func date(_ nanoseconds: UInt64) -> Date {
        TimestampFormat.date(
            seconds: Int64(nanoseconds / 1_000_000_000), nanoseconds: Int64(nanoseconds % 1_000_000_000))
    }

    /// The nanoseconds of a limit that a caller chose, rounded to the nearest that exists.
    package static func limit(_ date: Date) -> UInt64 {
        let seconds = date.timeIntervalSince1970
        if seconds.isNaN { return .max }
        return seconds <= 0 ? 0 : seconds >= Double(maximumSeconds) ? .max : nanoseconds(of: date) ?? .max
    }

    /// The number of the hour since 1970 that contains the date.
    package static func hour(of date: Date) -> Int64 { Int64((date.timeIntervalSince1970 / 3_600).rounded(.down)) }
}
