public import TelemetryModels
import TelemetrySystem

/// The lines of a segment in memory, for transports that send them and for the project's packages; not part of the interface.
@_spi(Tooling)
public enum EventLines {
    private struct Full: Error {}

    /// The events from the front of a batch as lines, with a header above the first: as many as fit, at least one.
    /// - Returns: The lines, and the number of events.
    /// - Throws: `.invalidArgument` for a date outside the years 1 to 9999.
    public static func encode(
        _ batch: TelemetryEventBatch, maximumBytes: Int
    ) throws -> (lines: [UInt8], count: Int) {
        var encoder = EventLineEncoder()
        var end = 0
        var count = 0
        func add(_ isWritten: Bool, _ identifier: @autoclosure () -> String) throws {
            guard isWritten else { throw EventLimits.dateOutOfRange(identifier()) }
            if encoder.buffer.count > maximumBytes, count > 0 { throw Full() }
            end = encoder.buffer.count
            count += 1
        }
        do {
            if let encoded = batch.encoded {
                let origin = encoded.origin
                try encoded.forEach { event in
                    let isWritten = encoder.append(event, of: origin, isFirst: count == 0) != nil
                    try add(isWritten, event.identifier(in: origin.sessionId))
                }
            } else {
                for event in batch.events { try add(encoder.append(event), event.eventId) }
            }
        } catch is Full {
            return (Array(encoder.buffer.bytes[..<end]), count)
        }
        return (Array(encoder.buffer.bytes), batch.count)
    }

    /// All events as lines; none if one has a date that cannot be written.
    public static func encode(_ events: [TelemetryEvent]) -> [UInt8] {
        (try? encode(TelemetryEventBatch(events), maximumBytes: .max))?.lines ?? []
    }

    /// The events in the lines; lines that cannot be read are left out.
    public static func decode(_ bytes: [UInt8]) -> [TelemetryEvent] {
        bytes.withUnsafeBufferPointer { decode($0).events }
    }

    /// The events in the lines; nil if a line cannot be read, or the last one has no line feed.
    public static func decode(all bytes: some Sequence<UInt8>) -> [TelemetryEvent]? {
        func events(_ bytes: UnsafeBufferPointer<UInt8>) -> [TelemetryEvent]? {
            let read = decode(bytes)
            return read.isComplete ? read.events : nil
        }
        return bytes.withContiguousStorageIfAvailable(events) ?? Array(bytes).withUnsafeBufferPointer(events)
    }

    private static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> (events: [TelemetryEvent], isComplete: Bool) {
        var decoder = EventLineDecoder()
        var events: [TelemetryEvent] = []
        var (start, isComplete) = (0, true)
        while let end = bytes.lineFeed(from: start) {
            switch decoder.decode(UnsafeBufferPointer(rebasing: bytes[start..<end])) {
            case .event(let event): events.append(event)
            case .corrupt: isComplete = false
            case .header, .nothing: break
            }
            start = end + 1
        }
        return (events, isComplete && start == bytes.count)
    }
}
