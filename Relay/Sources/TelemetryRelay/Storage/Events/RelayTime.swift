import Foundation
@_spi(Tooling) import TelemetryModels

/// A time with nanoseconds, which `Date` cannot represent. Events are ordered by the digits they were sent with.
public struct RelayTime: Sendable, Hashable, Comparable {
    /// Whole seconds since 1 January 1970, UTC; negative before.
    public let seconds: Int64
    /// 0 ..< 1,000,000,000.
    public let nanoseconds: Int32

    public init(seconds: Int64, nanoseconds: Int32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Reads `2026-11-21T08:00:00.123456789Z`: RFC 3339 in UTC with no or one to nine digits of fraction; nil for anything else.
    public init?(_ text: String) {
        guard let components = TimestampText.components(of: text) else { return nil }
        self.init(seconds: components.seconds, nanoseconds: Int32(components.nanoseconds))
    }

    /// The beginning of a date's second, so many seconds later; nil if the date is beyond the years 1 to 9999.
    init?(second date: Date, plus seconds: Int64) {
        let second = date.timeIntervalSince1970.rounded(.down)
        guard (-62_135_596_800..<253_402_300_800).contains(second) else { return nil }
        self.init(seconds: Int64(second) + seconds)
    }

    /// The text with three digits of fraction or, if they are not exact, nine.
    var text: String {
        var writer = RelayTimeWriter()
        return writer.text(self)
    }

    /// The nearest date.
    var date: Date { TimestampText.date(from: text) ?? Date(timeIntervalSince1970: Double(seconds)) }

    /// The number of bytes of ``text``.
    static func textLength(isWhole: Bool) -> Int { "2026-11-21T08:00:00.Z".utf8.count + (isWhole ? 3 : 9) }

    public static func < (lhs: RelayTime, rhs: RelayTime) -> Bool {
        (lhs.seconds, lhs.nanoseconds) < (rhs.seconds, rhs.nanoseconds)
    }
}

/// Writes times. Computes the calendar only when the second changes.
struct RelayTimeWriter {
    private var second: Int64?
    /// The text of the second, with the point.
    private var prefix = ""

    /// The text of ``RelayTime/text``.
    mutating func text(_ time: RelayTime) -> String {
        if second != time.seconds {
            second = time.seconds
            prefix = TimestampText.string(nearest: Date(timeIntervalSince1970: Double(time.seconds))).prefix(19) + "."
        }
        let isWhole = time.nanoseconds % 1_000_000 == 0
        let fraction = String(isWhole ? time.nanoseconds / 1_000_000 : time.nanoseconds)
        return prefix + String(repeating: "0", count: (isWhole ? 3 : 9) - fraction.utf8.count) + fraction + "Z"
    }
}
