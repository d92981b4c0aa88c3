import TelemetryModels

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Reads dates; caches the last second, so that the calendar is computed only when it changes.
package struct TimestampReader {
    /// The 19 bytes of the last second, in words that overlap; nil before the first.
    private var text: (UInt64, UInt64, UInt64)?
    private var seconds: Int64 = 0

    package init() {}

    /// Nil if `TimestampFormat.date(from:)` is nil.
    package mutating func date(from bytes: UnsafeBufferPointer<UInt8>) -> Date? {
        guard bytes.count >= 20 else { return nil }
        let raw = UnsafeRawBufferPointer(bytes)
        let next = (
            raw.loadUnaligned(fromByteOffset: 0, as: UInt64.self), raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            raw.loadUnaligned(fromByteOffset: 11, as: UInt64.self)
        )
        if text.map({ $0 == next }) != true {
            guard let read = TimestampFormat.seconds(from: bytes) else { return nil }
            (text, seconds) = (next, read)
        }
        return TimestampFormat.date(seconds: seconds, fractionOf: bytes)
    }
}
