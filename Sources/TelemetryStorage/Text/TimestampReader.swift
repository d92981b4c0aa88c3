import TelemetryModels

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Reads dates, and the calendar's part of them only where the second is not that of the date before.
package struct TimestampReader {
    /// The 19 bytes of the last second, in words that overlap.
    private var text: (UInt64, UInt64, UInt64) = (0, 0, 0)
    private var seconds: Int64 = 0

    package init() {}

    /// Nil where `TimestampFormat.date(from:)` is.
    package mutating func date(from bytes: UnsafeBufferPointer<UInt8>) -> Date? {
        guard bytes.count >= 20 else { return nil }
        let raw = UnsafeRawBufferPointer(bytes)
        let next = (
            raw.loadUnaligned(fromByteOffset: 0, as: UInt64.self), raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            raw.loadUnaligned(fromByteOffset: 11, as: UInt64.self)
        )
        if next != text {
            guard let read = TimestampFormat.seconds(from: bytes) else { return nil }
            (text, seconds) = (next, read)
        }
        return TimestampFormat.date(seconds: seconds, fractionOf: bytes)
    }
}
