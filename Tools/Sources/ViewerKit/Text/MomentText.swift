public import Foundation

/// Moments as a person types them: a span before now (`10m`), a date, or a date and a time.
public enum MomentText {
    /// Nil for what is none of these. Without a zone the machine's time zone is meant.
    public static func date(_ text: String, now: Date, timeZone: TimeZone = .current) -> Date? {
        if let seconds = DurationText.seconds(text), Double(text) == nil { return now - seconds }
        if let date = try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text) { return date }
        if let date = try? Date.ISO8601FormatStyle().parse(text) { return date }
        return local(text, timeZone: timeZone)
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
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = DateComponents(
            year: day[0], month: day[1], day: day[2], hour: time[0], minute: time[1], second: time[2])
        guard parts.isValidDate(in: calendar) else { return nil }
        return calendar.date(from: parts)
    }

    private static func numbers(_ text: Substring, separator: Character) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false).map { Int($0) }
        return parts.contains(nil) ? nil : parts.compactMap(\.self)
    }
}
