/// An event or definition as a frame's bytes, before the frame has a place in a segment: all bytes but the header.
///
/// It does not own the bytes. It must not be used outside the scope of the memory that they were written to.
@safe
struct EncodedFrame {
    /// The bytes after the header.
    private let body: UnsafeRawPointer
    /// The length of the whole frame; a multiple of 4.
    let count: Int
    private let checksum: UInt64

    /// - Parameters:
    ///   - frame: Where the frame begins; the header's bytes are not read.
    ///   - count: The length of the whole frame; a multiple of 4.
    @inline(__always)
    init(_ frame: UnsafeRawPointer, count: Int) {
        // The caller wrote `count` bytes there.
        unsafe body = frame + Frame.headerBytes
        self.count = count
        unsafe checksum = Frame.checksum(of: body, count: count &- Frame.headerBytes)
    }

    /// - Parameter frame: A whole frame, whose header is not read. It outlives this value.
    init(_ frame: ByteView) {
        precondition(frame.count >= Frame.headerBytes)
        // The view's bytes exist as long as the frame is used.
        self = unsafe frame.withUnsafeBytes { unsafe EncodedFrame($0.baseAddress.unsafelyUnwrapped, count: $0.count) }
    }

    /// Copies the frame to a segment. The length is written last: until then the segment ends before the frame, even if the
    /// process dies.
    /// - Parameter place: Memory with room for the frame and the segment's end, aligned to 4.
    @inline(__always)
    func place(at place: UnsafeMutableRawPointer, sequence: UInt64) {
        // The caller provides the room.
        unsafe place.storeBytes(of: Frame.checksum(checksum, sequence: sequence), toByteOffset: 4, as: UInt32.self)
        unsafe (place + count).storeBytes(of: 0, as: UInt32.self)
        unsafe (place + Frame.headerBytes).copyMemory(from: body, byteCount: count &- Frame.headerBytes)
        unsafe Frame.publish(length: UInt32(truncatingIfNeeded: count), at: place)
    }

    /// Copies the frame's content to a ring, as described at ``RingEntry``.
    /// - Parameter place: Memory with room for the entry, aligned to ``RingEntry/alignment``.
    @inline(__always)
    func place(inRingAt place: UnsafeMutableRawPointer, number: UInt64, identity: UInt64, key: UInt64) {
        // The caller provides the room.
        let checksum = RingEntry.checksum(content: checksum, number: number, identity: identity, key: key)
        unsafe place.storeBytes(of: checksum, toByteOffset: 4, as: UInt32.self)
        unsafe place.storeBytes(of: number, toByteOffset: 8, as: UInt64.self)
        unsafe place.storeBytes(of: identity, toByteOffset: 16, as: UInt64.self)
        unsafe (place + RingEntry.headerBytes).copyMemory(from: body, byteCount: count &- Frame.headerBytes)
        unsafe Frame.publish(length: UInt32(truncatingIfNeeded: RingEntry.length(of: self)), at: place)
    }
}
