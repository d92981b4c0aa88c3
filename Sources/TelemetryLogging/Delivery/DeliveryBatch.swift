import Foundation
import TelemetryModels
import TelemetryTransport

/// The events of one append, all of one client.
struct DeliveryBatch: Sendable {
    enum Content: Sendable {
        case events(DeliveryBatch)
        /// Events that are too old to be sent.
        case expired(count: Int, end: Int, clientId: String?)
        /// Frames that cannot be decoded.
        case corrupt
    }

    struct Limits: Sendable {
        var events = TelemetryLogger.Configuration.maximumBatchSize
        var bytes: Int
        /// In seconds since 2001; events logged before have expired.
        var oldest: Double
    }

    /// The bytes that an event takes in addition to its frame when a transport encodes it: identifiers, device, field names.
    private static let overheadBytes = 400

    let events: TelemetryEventBatch
    /// The offset at which each event's frame ends.
    let ends: [Int]
    let clientId: String?
    let lastSequence: UInt64

    /// Reads as many events from the start of a range as one append carries. Those of another session are converted, because another
    /// process wrote their frames.
    static func read(_ range: PendingRange, limits: Limits) -> Content {
        let keepsFrames = range.isCurrentSession
        return range.withBytes { bytes in
            var decoder = FrameDecoder(
                session: range.session, clientId: range.clientId, firstSequence: range.firstSequence)
            var events: [TelemetryEvent] = []
            var ends: [Int] = []
            var expired = 0
            var offset = range.from
            var start = offset
            var size = 0
            while offset < range.to, ends.count < limits.events {
                guard let length = FrameDecoder.length(at: offset, in: bytes) else { break }
                let frame = bytes[offset..<(offset + length)]
                guard let logged = FrameDecoder.timestamp(ofEvent: frame) else {
                    // A definition, of another client.
                    guard ends.isEmpty, decoder.decode(frame, into: &events) else { break }
                    offset += length
                    continue
                }
                let isExpired = logged < limits.oldest
                if isExpired != (expired > 0), !ends.isEmpty || expired > 0 { break }
                size += length + overheadBytes
                if size > limits.bytes, !ends.isEmpty { break }
                if isExpired {
                    expired += 1
                    decoder.sequence &+= 1
                    offset += length
                    continue
                }
                if ends.isEmpty {
                    start = offset
                    let expected = min(limits.events, (range.to - offset) / length + 1)
                    ends.reserveCapacity(expected)
                    if !keepsFrames { events.reserveCapacity(expected) }
                }
                guard keepsFrames ? decoder.skip(frame) : decoder.decode(frame, into: &events) else { break }
                offset += length
                ends.append(offset)
            }
            if expired > 0 { return .expired(count: expired, end: offset, clientId: decoder.clientId) }
            guard let end = ends.last else { return .corrupt }
            let batch =
                keepsFrames
                ? TelemetryEventBatch(
                    LoggedEvents(
                        bytes[start..<end], count: ends.count, firstSequence: decoder.sequence &- UInt64(ends.count),
                        origin: decoder.origin))
                : TelemetryEventBatch(events)
            return .events(
                DeliveryBatch(
                    events: batch, ends: ends, clientId: decoder.clientId, lastSequence: decoder.sequence &- 1))
        }
    }
}
