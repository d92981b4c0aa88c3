/// A copy of events that triggers have not read, all from one place.
struct UnreadEvents: Sendable {
    enum Source: Sendable {
        /// A segment; the sequence of the first event.
        case segment(firstSequence: UInt64)
        /// A ring. The eight bytes before a frame's content are the event's identity.
        case ring
    }

    let source: Source
    let bytes: [UInt8]
    /// The places of the events' frames in the bytes, oldest first.
    let frames: [Range<Int>]
    /// How many events before these were replaced before they could be read.
    var missed: UInt64 = 0
}
