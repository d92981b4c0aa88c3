public import Foundation
@_spi(Tooling) import TelemetryModels

/// Writes dates as the stores do, `2026-11-21T08:00:00.123Z`: with nine digits where three would lose something.
public struct UTCStamp {
    public init() {}

    /// A date that the stored form does not reach gets the nearest text: a line with an event must be complete.
    public func append(_ date: Date, to bytes: inout [UInt8]) {
        guard !TimestampText.append(date, to: &bytes) else { return }
        bytes += (date < Date(timeIntervalSince1970: 0) ? "0001-01-01T00:00:00.000Z" : "9999-12-31T23:59:59.999Z").utf8
    }
}
