/// The bytes of one segment, and what must happen when nobody uses them any more.
///
/// Who may write where is decided under the capture's lock: bytes behind the last committed frame belong to the thread that
/// holds it, committed ones are constant until the segment is rewound, which nobody does while a reader holds a range of it.
final class SegmentMemory: Sendable {
    private let address: UInt
    let count: Int
    /// The file behind the bytes, or the one that they were read from.
    let file: SpoolFile?
    /// Whether what is written here is written to the file.
    let isMapped: Bool
    private let release: @Sendable (UnsafeMutableRawBufferPointer) -> Void

    init(
        _ bytes: UnsafeMutableRawBufferPointer, file: SpoolFile? = nil, isMapped: Bool = false,
        release: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void
    ) {
        address = UInt(bitPattern: bytes.baseAddress)
        count = bytes.count
        self.file = file
        self.isMapped = isMapped
        self.release = release
    }

    /// Memory of the process.
    convenience init(count: Int) {
        self.init(.allocate(byteCount: count, alignment: 16)) { $0.deallocate() }
    }

    deinit { release(UnsafeMutableRawBufferPointer(start: base, count: count)) }

    @inline(__always)
    var base: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped }
}
