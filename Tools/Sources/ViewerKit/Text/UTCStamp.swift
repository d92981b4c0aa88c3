public import Foundation

/// Writes dates as the stores do, `2026-11-21T08:00:00.123Z`: with nine digits where three would lose something.
///
/// Events of one second share all but the fraction, so the last second's text is kept.
public struct UTCStamp {
    private var second = Double.nan
    private var text: [UInt8] = []

    public init() {}

    public mutating func append(_ date: Date, to bytes: inout [UInt8]) {
        let interval = date.timeIntervalSinceReferenceDate
        var whole = interval.rounded(.down)
        var nanoseconds = Int(((interval - whole) * 1e9).rounded())
        let milliseconds = (nanoseconds + 500_000) / 1_000_000
        let isWhole = Date(timeIntervalSince1970: ((whole + Self.offset) * 1_000 + Double(milliseconds)) / 1_000) == date
        if isWhole { nanoseconds = milliseconds * 1_000_000 }
        if nanoseconds >= 1_000_000_000 {
            nanoseconds -= 1_000_000_000
            whole += 1
        }
        if whole != second {
            second = whole
            text = Array(Date(timeIntervalSinceReferenceDate: whole).formatted(.iso8601).utf8.dropLast())
        }
        bytes += text
        bytes.append(UInt8(ascii: "."))
        let (digits, value) = isWhole ? (3, nanoseconds / 1_000_000) : (9, nanoseconds)
        var divisor = isWhole ? 100 : 100_000_000
        for _ in 0..<digits {
            bytes.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
        bytes.append(UInt8(ascii: "Z"))
    }

    private static let offset = Date.timeIntervalBetween1970AndReferenceDate
}
