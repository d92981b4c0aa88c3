import Foundation
import TelemetryModels

/// The events of one append, with the offset at which each event's frame ends.
struct DeliveryBatch: Sendable {
    enum Content: Sendable {
        case events([TelemetryEvent], ends: [Int])
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

    /// Reads as many events from the start of a range as one append carries.
    static func read(_ range: PendingRange, limits: Limits) -> Content {
        range.withBytes { bytes in
            var decoder = FrameDecoder(
                session: range.session, clientId: range.clientId, firstSequence: range.firstSequence)
            var events: [TelemetryEvent] = []
            var ends: [Int] = []
            var expired = 0
            var offset = range.from
            var size = 0
            while offset < range.to, events.count < limits.events {
                guard let length = FrameDecoder.length(at: offset, in: bytes) else { break }
                let frame = bytes[offset..<(offset + length)]
                if let logged = FrameDecoder.timestamp(ofEvent: frame) {
                    let isExpired = logged < limits.oldest
                    if isExpired != (expired > 0), !events.isEmpty || expired > 0 { break }
                    size += length + overheadBytes
                    if size > limits.bytes, !events.isEmpty { break }
                    if isExpired {
                        expired += 1
                        decoder.sequence &+= 1
                        offset += length
                        continue
                    }
                    if events.isEmpty { events.reserveCapacity(min(limits.events, (range.to - offset) / length + 1)) }
                }
                let count = events.count
                guard decoder.decode(frame, into: &events) else { break }
                offset += length
                if events.count > count { ends.append(offset) }
            }
            if events.isEmpty, expired == 0 { return .corrupt }
            return expired > 0
                ? .expired(count: expired, end: offset, clientId: decoder.clientId) : .events(events, ends: ends)
        }
    }
}
