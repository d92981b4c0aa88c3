public import Foundation
@_spi(Tooling) import TelemetryModels

/// Writes dates in the stored form, `2026-11-21T08:00:00.123Z`, with nine digits if three are not exact.
public struct UTCStamp {
    public init() {}

    /// The date in the stored form; nil for other text.
    static func date(_ text: String) -> Date? { TimestampText.date(from: text) }

    /// A date outside the range of the stored form is clamped to it.
    public func append(_ date: Date, to bytes: inout [UInt8]) {
        guard !TimestampText.append(date, to: &bytes) else { return }
        bytes += (date < Date(timeIntervalSince1970: 0) ? "0001-01-01T00:00:00.000Z" : "9999-12-31T23:59:59.999Z").utf8
    }
}
