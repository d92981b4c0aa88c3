import Foundation

@testable import TelemetryModels
@testable import TelemetrySystem
@testable import TelemetryTransport

/// The readers and writers of stored dates: one without state, and one each that caches the previous second.
struct TimestampAccess {
    private var reader = TimestampReader()
    private var writer = TimestampWriter()

    static func date(_ text: [UInt8]) -> Date? { text.withUnsafeBufferPointer { TimestampFormat.date(from: $0) } }
    static func text(_ date: Date) -> String? { TimestampFormat.string(from: date) }

    mutating func date(_ text: [UInt8]) -> Date? { text.withUnsafeBufferPointer { reader.date(from: $0) } }

    mutating func text(_ date: Date) -> String? {
        let buffer = ByteBuffer()
        return writer.append(date, to: buffer) != nil ? String(decoding: buffer.bytes, as: UTF8.self) : nil
    }
}
