import Synchronization

/// The bytes of one segment, released when nothing refers to them any more.
///
/// The capture's lock decides who writes: bytes after the last committed frame belong to the thread that holds the lock.
/// Committed bytes do not change until the segment is rewound or its memory is used again, and neither happens while a reading
/// exists.
@safe
final class SegmentMemory: Sendable {
    /// The first byte, aligned to 16.
    let bytes: SharedMemory<UInt8>
    let count: Int
    /// The file that is mapped, or that the bytes were read from.
    let file: SpoolFile?
    /// Whether bytes written here are written to the file.
    let isMapped: Bool
    private let release: @Sendable (UnsafeMutableRawBufferPointer) -> Void

    /// - Parameters:
    ///   - memory: Memory that nothing else uses from now on, aligned to 16.
    ///   - release: Called with the memory once nothing uses it.
    init(
        _ memory: UnsafeMutableRawBufferPointer, file: SpoolFile? = nil, isMapped: Bool = false,
        release: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void
    ) {
        // The memory is accessed as raw bytes and as the atomics of `publish`, never as `UInt8` values. It is not empty.
        unsafe bytes = SharedMemory(memory.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt8.self))
        count = memory.count
        self.file = file
        self.isMapped = isMapped
        // The closure is only stored.
        unsafe self.release = release
    }

    /// Allocates memory of the process.
    convenience init(count: Int, file: SpoolFile? = nil) {
        // Allocated here and deallocated once, by `deinit`.
        unsafe self.init(.allocate(byteCount: count, alignment: 16), file: file) { unsafe $0.deallocate() }
    }

    // Nothing can use the bytes any more: each user holds a reference.
    deinit { unsafe release(UnsafeMutableRawBufferPointer(start: bytes.start, count: count)) }
}

/// Access with checked bounds. No offset comes from a file without a check, so that a failed precondition is a programming error.
///
/// Methods that write are called under the capture's lock, or before the segment is shared.
extension SegmentMemory {
    /// Calls the body with committed bytes.
    func withBytes<Result, Failure: Error>(
        in range: Range<Int>, _ body: (ByteView) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The range is checked. The memory outlives the call: `self` is used after it.
        let start = unsafe pointer(at: range.lowerBound, count: range.count)
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(ByteView(UnsafeRawBufferPointer(start: start, count: range.count)))
    }

    func store<Value: BitwiseCopyable>(_ value: Value, at offset: Int) {
        // The bounds are checked.
        unsafe pointer(at: offset, count: MemoryLayout<Value>.size).storeBytes(of: value, as: Value.self)
    }

    /// Stores a value after everything that was stored before it, also for the file's next reader.
    func publish(_ value: UInt32, at offset: Int) {
        precondition(offset & 3 == 0)
        // Bounds and alignment are checked, and all simultaneous accesses are atomic.
        unsafe Frame.publish(length: value, at: pointer(at: offset, count: 4))
    }

    /// Stores a value after everything that was stored before it, also for the file's next reader.
    func publish(_ value: UInt64, at offset: Int) {
        precondition(offset & 7 == 0)
        // Bounds and alignment are checked, and all simultaneous accesses are atomic.
        unsafe pointer(at: offset, count: 8).assumingMemoryBound(to: Atomic<UInt64>.self).pointee
            .store(value, ordering: .releasing)
    }

    /// Copies bytes to an offset.
    func copy(_ source: ByteView, to offset: Int) {
        // The bounds are checked.
        let place = unsafe pointer(at: offset, count: source.count)
        unsafe source.withUnsafeBytes { source in
            unsafe UnsafeMutableRawBufferPointer(start: place, count: source.count).copyMemory(from: source)
        }
    }

    /// Writes a frame at an offset, and the end of the segment after it.
    func place(_ frame: EncodedFrame, sequence: UInt64, at offset: Int) {
        // The bounds are checked.
        unsafe frame.place(at: pointer(at: offset, count: frame.count + Frame.terminatorBytes), sequence: sequence)
    }

    /// Writes a frame's content to a ring at an offset, which is a multiple of ``RingEntry/alignment``.
    @inline(__always)
    func place(_ frame: EncodedFrame, inRingAt offset: Int, number: UInt64, identity: UInt64, key: UInt64) {
        // The bounds are checked.
        let place = unsafe pointer(at: offset, count: RingEntry.length(of: frame))
        unsafe frame.place(inRingAt: place, number: number, identity: identity, key: key)
    }

    /// The value at an offset, which need not be aligned.
    func load<Value: BitwiseCopyable>(_ type: Value.Type = Value.self, at offset: Int) -> Value {
        // The bounds are checked.
        unsafe pointer(at: offset, count: MemoryLayout<Value>.size).loadUnaligned(as: type)
    }

    /// Sets all bytes to zero.
    func clear() {
        // The memory has as many bytes.
        unsafe pointer(at: 0, count: count).initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }

    /// - Precondition: The bytes from `offset` to `offset + length` are within the memory.
    private func pointer(at offset: Int, count length: Int) -> UnsafeMutableRawPointer {
        precondition(offset >= 0 && length >= 0 && offset <= count && length <= count - offset)
        // The result is within the memory, which exists as long as `self`.
        return unsafe UnsafeMutableRawPointer(bytes.start) + offset
    }
}
