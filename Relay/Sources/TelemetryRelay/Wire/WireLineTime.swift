/// The time of a line as the milliseconds after its header's start, with six digits of fraction if they are not whole.
enum WireLineTime {
    private static let perMillisecond: Int64 = 1_000_000
    private static let perSecond: Int64 = 1_000_000_000
    /// Later times, after about the year 2255, are written as strings.
    private static let maximumSeconds: Int64 = 9_000_000_000
    /// The longest time between a header's start and a line: about 285 years, as in the library's lines.
    private static let maximumMilliseconds: UInt64 = 9_000_000_000_000

    /// The nanoseconds since 1970; nil for a time that is always written as a string.
    static func nanoseconds(_ time: RelayTime) -> Int64? {
        guard (0..<maximumSeconds).contains(time.seconds) else { return nil }
        return time.seconds * perSecond + Int64(time.nanoseconds)
    }

    /// The nanoseconds since 1970 of a time that ``RelayTime/text`` writes in the same way; nil for any other text.
    static func nanoseconds(ofCanonical text: String) -> Int64? {
        guard let time = RelayTime(text) else { return nil }
        let isWhole = time.nanoseconds % Int32(perMillisecond) == 0
        return text.utf8.count == RelayTime.textLength(isWhole: isWhole) ? nanoseconds(time) : nil
    }

    /// The start of a header above a line with this time: whole milliseconds, in nanoseconds since 1970.
    static func start(_ nanoseconds: Int64) -> Int64 { nanoseconds / perMillisecond * perMillisecond }

    /// The time after a header's start; nil if it is before 1970 or does not fit.
    static func time(_ offset: Int64, after start: Int64) -> RelayTime? {
        let (nanoseconds, isOverflown) = start.addingReportingOverflow(offset)
        return isOverflown || nanoseconds < 0 ? nil : time(nanoseconds)
    }

    static func time(_ nanoseconds: Int64) -> RelayTime {
        RelayTime(seconds: nanoseconds / perSecond, nanoseconds: Int32(nanoseconds % perSecond))
    }

    /// Reads a number; nil if it has another form, or the time is before 1970 or does not fit.
    static func time(_ number: String, after start: Int64) -> RelayTime? {
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let milliseconds = Int64(parts[0]), milliseconds.magnitude <= maximumMilliseconds else { return nil }
        var fraction: Int64 = 0
        if parts.count == 2 {
            guard parts[1].utf8.count == 6, let digits = Int64(parts[1]), digits >= 0 else { return nil }
            fraction = digits
        }
        let magnitude = Int64(milliseconds.magnitude) * perMillisecond + fraction
        return time(number.hasPrefix("-") ? -magnitude : magnitude, after: start)
    }

    static func number(_ nanoseconds: Int64, after start: Int64) -> String {
        let offset = nanoseconds - start
        let (milliseconds, fraction) = offset.magnitude.quotientAndRemainder(dividingBy: UInt64(perMillisecond))
        let sign = offset < 0 ? "-" : ""
        if fraction == 0 { return "\(sign)\(milliseconds)" }
        let digits = String(fraction)
        return "\(sign)\(milliseconds).\(String(repeating: "0", count: 6 - digits.count))\(digits)"
    }
}
