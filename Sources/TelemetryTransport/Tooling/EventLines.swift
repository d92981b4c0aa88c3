public import TelemetryModels
import TelemetrySystem

/// The lines of a segment in memory, for the separate package of benchmarks; not part of the interface.
@_spi(Benchmarks)
public enum EventLines {
    /// The events as lines of a segment, including headers. Events whose date cannot be written are left out.
    public static func encode(_ events: [TelemetryEvent]) -> [UInt8] {
        var encoder = EventLineEncoder()
        events.withUnsafeBufferPointer { events in
            guard let first = events.baseAddress else { return }
            for event in first..<first + events.count { _ = encoder.append(event) }
        }
        return Array(encoder.buffer.bytes)
    }

    /// The events in the lines; lines that cannot be read are left out.
    public static func decode(_ bytes: [UInt8]) -> [TelemetryEvent] {
        var decoder = EventLineDecoder()
        var events: [TelemetryEvent] = []
        bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            while let end = bytes.lineFeed(from: start) {
                let line = decoder.decode(UnsafeBufferPointer(rebasing: bytes[start..<end]))
                if case .event(let event) = line { events.append(event) }
                start = end + 1
            }
        }
        return events
    }
}
