public import Foundation
@_spi(Tooling) import TelemetryModels

/// Parses dates typed by a user: a duration before now (`10m`), a date, or a date and time.
public enum DateParser {
    /// Before this year Foundation's calendar differs from the proleptic Gregorian calendar of the stored form.
    private static let firstYearOfCalendar = 1600

    /// Returns nil for other text. The default time zone is that of the machine.
    public static func date(_ text: String, now: Date, timeZone: TimeZone = .current) -> Date? {
        if let seconds = DurationText.seconds(text), Double(text) == nil { return now - seconds }
        return TimestampText.date(from: text) ?? zoned(text) ?? local(text, timeZone: timeZone)
    }

    /// The date of a text in ISO 8601 with a time zone; nil for other text.
    static func timestamp(_ text: String) -> Date? { TimestampText.date(from: text) ?? zoned(text) }

    /// `2026-11-21T14:03:59+02:00`, or with `+0200`.
    private static func zoned(_ text: String) -> Date? {
        guard let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }), text[..<sign].contains("T") else { return nil }
        let digits = text[text.index(after: sign)...].filter { $0 != ":" }
        guard digits.count == 4, let number = Int(digits), number / 100 < 24, number % 100 < 60,
            let date = TimestampText.date(from: "\(text[..<sign])Z")
        else { return nil }
        let seconds = TimeInterval(number / 100 * 3_600 + number % 100 * 60)
        return text[sign] == "+" ? date - seconds : date + seconds
    }

    /// `2026-11-21`, `2026-11-21 14:03` or `2026-11-21T14:03:59`.
    private static func local(_ text: String, timeZone: TimeZone) -> Date? {
        let halves = text.split(maxSplits: 1, whereSeparator: { $0 == " " || $0 == "T" })
        guard let day = halves.first.flatMap({ numbers($0, separator: "-") }), day.count == 3 else { return nil }
        var time = [0, 0, 0]
        if halves.count == 2 {
            guard let parts = numbers(halves[1], separator: ":"), (2...3).contains(parts.count) else { return nil }
            time.replaceSubrange(0..<parts.count, with: parts)
        }
        let written = String(format: "%04d-%02d-%02dT%02d:%02d:%02dZ", day[0], day[1], day[2], time[0], time[1], time[2])
        guard let utc = TimestampText.date(from: written) else { return nil }
        guard day[0] >= firstYearOfCalendar else { return utc - TimeInterval(timeZone.secondsFromGMT(for: utc)) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        return calendar.date(
            from: DateComponents(
                year: day[0], month: day[1], day: day[2], hour: time[0], minute: time[1], second: time[2]))
    }

    private static func numbers(_ text: Substring, separator: Character) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false).map { Int($0) }
        return parts.allSatisfy { $0.map { (0...9_999).contains($0) } ?? false } ? parts.compactMap(\.self) : nil
    }
}
