import Foundation
import TelemetryModels

/// Events that one append carries, with the places where each one's frame ends.
struct DeliveryBatch: Sendable {
    enum Content: Sendable {
        case events([TelemetryEvent], ends: [Int])
        /// Events too old to be sent.
        case expired(count: Int, end: Int, clientId: String?)
        /// Frames that cannot be read.
        case corrupt
    }

    struct Limits: Sendable {
        var events = TelemetryLogger.Configuration.maximumBatchSize
        var bytes: Int
        /// Seconds since 2001; what is older has expired.
        var oldest: Double
    }

    /// What an event takes beside its frame once a transport has written it out: identifiers, device, field names.
    private static let overheadBytes = 400

    /// Reads from the front of a range as much as one append carries.
    static func read(_ range: PendingRange, limits: Limits) -> Content {
        withExtendedLifetime(range.memory) {
            var decoder = FrameDecoder(
                session: range.session, clientId: range.clientId, firstSequence: range.firstSequence)
            var events: [TelemetryEvent] = []
            var ends: [Int] = []
            var expired = 0
            var offset = range.from
            var size = 0
            let bytes = range.bytes
            while offset < range.to, events.count < limits.events {
                guard let length = FrameDecoder.length(at: offset, in: bytes) else { break }
                let frame = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)])
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
