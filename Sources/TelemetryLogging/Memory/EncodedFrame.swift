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

    /// Copies the frame to a segment. The length is written last: until then the segment ends before the frame, also if the
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
}
