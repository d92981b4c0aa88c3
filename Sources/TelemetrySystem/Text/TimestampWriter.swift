import TelemetryModels

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Writes the same text as `TimestampFormat`; caches the last whole second, since many events share one.
package struct TimestampWriter {
    /// The text up to and including the point: `2026-11-21T08:00:00.`
    private static let prefixCount = 20

    private var second = Int64.min
    private var prefix: [UInt8] = []

    package init() {}

    /// Returns nil and appends nothing for a date outside the years 1 to 9999.
    package mutating func append(_ date: Date, to buffer: ByteBuffer) -> TimestampParts? {
        guard let parts = TimestampParts(date) else { return nil }
        // A fraction that rounds up to a second needs the next second's text.
        guard parts.milliseconds < 1_000, remember(parts.seconds, date) else {
            return appendSlowly(date, to: buffer) ? parts : nil
        }
        prefix.withUnsafeBufferPointer { buffer.append($0) }
        if parts.isExact {
            buffer.append(decimal: parts.milliseconds, digits: 3)
        } else {
            buffer.append(decimal: parts.nanoseconds, digits: 9)
        }
        buffer.append(UInt8(ascii: "Z"))
        return parts
    }

    private mutating func remember(_ seconds: Int64, _ date: Date) -> Bool {
        if seconds == second { return true }
        var text: [UInt8] = []
        guard TimestampFormat.append(date, to: &text) else { return false }
        prefix = Array(text.prefix(Self.prefixCount))
        second = seconds
        return true
    }

    private func appendSlowly(_ date: Date, to buffer: ByteBuffer) -> Bool {
        var text: [UInt8] = []
        guard TimestampFormat.append(date, to: &text) else { return false }
        text.withUnsafeBufferPointer { buffer.append($0) }
        return true
    }
}
