import Synchronization

/// The bytes of one segment, and what must happen when nobody uses them any more.
///
/// Who may write where is decided under the capture's lock: bytes behind the last committed frame belong to the thread that
/// holds it, committed ones are constant until the segment is rewound or its memory used again, which nobody does while a
/// reading of it or a ``Claim`` to it lasts.
final class SegmentMemory: Sendable {
    private let address: UInt
    let count: Int
    /// The file behind the bytes, or the one that they were read from.
    let file: SpoolFile?
    /// Whether what is written here is written to the file.
    let isMapped: Bool
    private let release: @Sendable (UnsafeMutableRawBufferPointer) -> Void
    private let claims = Atomic<Int>(0)

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

    /// Whether somebody reads here whom the capture's state does not know of.
    var isClaimed: Bool { claims.load(ordering: .acquiring) > 0 }

    deinit { release(UnsafeMutableRawBufferPointer(start: base, count: count)) }

    @inline(__always)
    var base: UnsafeMutableRawPointer { UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped }

    /// Keeps the bytes as they are for as long as it lives. Made only while the capture's state knows of a reading.
    final class Claim: Sendable {
        private let memory: SegmentMemory

        init(to memory: SegmentMemory) {
            self.memory = memory
            memory.claims.add(1, ordering: .relaxed)
        }

        deinit { memory.claims.subtract(1, ordering: .releasing) }
    }
}
