import Foundation

/// The header `Retry-After` of RFC 9110, 10.2.3: a number of seconds, or a date in any of HTTP's three forms.
enum RetryAfter {
    /// The maximum wait: longer ones are shortened to a day.
    static let maximum = Duration.seconds(86_400)

    /// - Parameters:
    ///   - date: The response's `Date`, relative to which a date is measured, because the clocks of both sides may differ.
    ///   - now: Used if `date` is missing.
    /// - Returns: How long to wait; nil if the header is missing or invalid.
    static func duration(_ value: String?, date: String?, now: Date) -> Duration? {
        guard let value = value?.trimmingCharacters(in: .whitespaces), !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return min(.seconds(Int64(value) ?? .max), maximum)
        }
        guard let moment = HTTPDate.date(value) else { return nil }
        let seconds = moment.timeIntervalSince(date.flatMap(HTTPDate.date) ?? now)
        return min(max(.seconds(seconds.rounded(.up)), .zero), maximum)
    }
}

/// Dates of HTTP: RFC 9110, 5.6.7.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
    static func date(_ text: String) -> Date? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        switch words.count {
        case 6 where words[5] == "GMT": return date(year: words[3], month: words[2], day: words[1], time: words[4])
        case 5: return date(year: words[4], month: words[1], day: words[2], time: words[3])
        default: return nil
        }
    }

    private static func date(year: String, month: String, day: String, time: String) -> Date? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard let number = Int(year), let index = months.firstIndex(of: month), let day = Int(day), clock.count == 3,
            let hour = clock[0], let minute = clock[1], let second = clock[2], (1...31).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second), (0...9_999).contains(number)
        else { return nil }
        var components = DateComponents()
        components.calendar = Calendar(identifier: .gregorian)
        components.timeZone = TimeZone(secondsFromGMT: 0)
        // Two digits are of this century, because a retry date is never in the previous one.
        components.year = year.count == 2 ? 2_000 + number : number
        components.month = index + 1
        components.day = day
        components.hour = hour
        components.minute = minute
        components.second = second
        return components.date
    }
}
