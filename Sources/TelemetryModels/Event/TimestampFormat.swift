#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Dates as the package stores them: ISO 8601 in UTC with milliseconds, `2026-11-21T08:00:00.123Z`.
///
/// A date that is not a whole number of milliseconds gets nine digits, so that it reads back as the same `Date` for every
/// moment at least 2^24 seconds (about 194 days) away from 1 January 2001; nearer, where a `Date` is finer than a nanosecond, as
/// one within a nanosecond of it, or within 60 where its nanoseconds are whole milliseconds. The calendar is the proleptic
/// Gregorian one, computed as in Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
package enum TimestampFormat {
    /// Whole seconds between 1 January 1970 and 1 January 2001, the reference date.
    package static let secondsFrom1970ToReference: Int64 = 978_307_200
    /// The first second of year 1 and of year 10000, counted from 1970.
    private static let range: Range<Int64> = -62_135_596_800..<253_402_300_800

    /// The last moment that a `Date` has before the year 10000, counted from the reference date: a text between the two would
    /// otherwise round into that year, which has no text.
    private static let last = 252_423_993_599.999_97

    /// Nil for a date outside the years 1 to 9999, or one that is not a number.
    package static func string(from date: Date) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(30)
        guard append(date, to: &bytes) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text's ASCII bytes; appends nothing and returns false where ``string(from:)`` is nil.
    /// - Parameter offset: How many seconds the clock whose time is written is ahead of UTC.
    package static func append(_ date: Date, secondsFromUTC offset: Int64 = 0, to bytes: inout [UInt8]) -> Bool {
        let interval = date.timeIntervalSinceReferenceDate
        guard interval.isFinite, abs(interval) < 1e12 else { return false }
        let whole = interval.rounded(.down)
        var seconds = Int64(whole) + secondsFrom1970ToReference
        let fraction = interval - whole
        var nanoseconds = Int64((fraction * 1e9).rounded())
        if nanoseconds == 1_000_000_000 {
            nanoseconds = 0
            seconds += 1
        }
        guard range.contains(seconds), range.contains(seconds + offset) else { return false }
        let milliseconds = (nanoseconds + 500_000) / 1_000_000
        let (carriedSeconds, keptMilliseconds) = milliseconds == 1000 ? (seconds + 1, 0) : (seconds, milliseconds)
        let isWhole = self.date(seconds: carriedSeconds, nanoseconds: keptMilliseconds * 1_000_000) == date
        if isWhole, range.contains(carriedSeconds), range.contains(carriedSeconds + offset) {
            append(seconds: carriedSeconds + offset, to: &bytes)
            bytes.append(UInt8(ascii: "."))
            append(keptMilliseconds, digits: 3, to: &bytes)
        } else {
            append(seconds: seconds + offset, to: &bytes)
            bytes.append(UInt8(ascii: "."))
            append(nanoseconds, digits: 9, to: &bytes)
        }
        bytes.append(UInt8(ascii: "Z"))
        return true
    }

    /// Reads what ``string(from:)`` writes, with any number of fractional digits from none to nine, in UTC.
    package static func date(from text: some StringProtocol) -> Date? {
        var copy = String(text)
        return copy.withUTF8 { date(from: $0) }
    }

    /// The same for ASCII bytes.
    package static func date(from bytes: UnsafeBufferPointer<UInt8>) -> Date? {
        guard let seconds = seconds(from: bytes) else { return nil }
        return date(seconds: seconds, fractionOf: bytes)
    }

    /// The whole seconds since 1970 in the first 19 bytes.
    package static func seconds(from bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let year = number(bytes, 0..<4), let month = number(bytes, 5..<7), let day = number(bytes, 8..<10),
            let hour = number(bytes, 11..<13), let minute = number(bytes, 14..<16), let second = number(bytes, 17..<19),
            year >= 1, (1...12).contains(month), (1...daysIn(month: month, of: year)).contains(day), hour < 24, minute < 60,
            second < 60
        else { return nil }
        return daysSince1970(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// The date of these seconds and of the fraction after the first 19 bytes.
    package static func date(seconds: Int64, fractionOf bytes: UnsafeBufferPointer<UInt8>) -> Date? {
        nanoseconds(fractionOf: bytes).map { date(seconds: seconds, nanoseconds: $0) }
    }

    /// The fraction after the first 19 bytes in nanoseconds: none, or one to nine digits, and `Z`.
    static func nanoseconds(fractionOf bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard bytes.count >= 20, bytes.count <= 30, bytes[bytes.count - 1] == UInt8(ascii: "Z") else { return nil }
        if bytes.count == 20 { return 0 }
        guard bytes[19] == UInt8(ascii: "."), bytes.count > 21, var nanoseconds = number(bytes, 20..<(bytes.count - 1))
        else { return nil }
        for _ in (bytes.count - 21)..<9 { nanoseconds *= 10 }
        return nanoseconds
    }

    package static func date(seconds: Int64, nanoseconds: Int64) -> Date {
        // Milliseconds take the way that `Date(timeIntervalSince1970:)` takes, so that they equal dates made that way.
        if nanoseconds % 1_000_000 == 0 {
            return Date(timeIntervalSince1970: Double(seconds * 1000 + nanoseconds / 1_000_000) / 1000)
        }
        let interval = Double(seconds - secondsFrom1970ToReference) + Double(nanoseconds) / 1e9
        return Date(timeIntervalSinceReferenceDate: min(interval, last))
    }

    private static func append(seconds: Int64, to bytes: inout [UInt8]) {
        let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let ofDay = seconds - days * 86_400
        let (year, month, day) = civil(daysSince1970: days)
        append(year, digits: 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        append(month, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        append(day, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "T"))
        append(ofDay / 3_600, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(ofDay / 60 % 60, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(ofDay % 60, digits: 2, to: &bytes)
    }

    private static func append(_ number: Int64, digits: Int, to bytes: inout [UInt8]) {
        var divisor: Int64 = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }

    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int64? {
        var result: Int64 = 0
        for index in range {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            result = result * 10 + Int64(digit)
        }
        return result
    }

    private static func daysIn(month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func civil(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
