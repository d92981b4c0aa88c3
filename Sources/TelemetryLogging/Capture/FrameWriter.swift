/// Writes values one after another into memory that its creator provides.
///
/// The creator guarantees room for all that is written, by the limits in ``size(of:)``, ``Frame`` and ``AttributeCoding``. Debug
/// builds check it.
@safe
struct FrameWriter {
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    private(set) var offset: Int

    /// - Parameter memory: Memory that is not empty and outlives the writer.
    @inline(__always)
    init(_ memory: UnsafeMutableRawBufferPointer, at offset: Int = 0) {
        // The caller provides memory that is not empty.
        unsafe start = memory.baseAddress.unsafelyUnwrapped
        capacity = memory.count
        self.offset = offset
    }

    @inline(__always)
    mutating func write<Value: BitwiseCopyable>(_ value: Value) {
        assert(offset &+ MemoryLayout<Value>.size <= capacity)
        // The creator provides the room.
        unsafe start.storeBytes(of: value, toByteOffset: offset, as: Value.self)
        offset &+= MemoryLayout<Value>.size
    }

    /// Writes a number as seven bits per byte, the lowest first; the highest bit of a byte is set if more bytes follow.
    @inline(__always)
    mutating func write(compact number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            write(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        write(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes bytes without their length.
    mutating func write(contentsOf bytes: ByteView) {
        assert(offset &+ bytes.count <= capacity)
        // The creator provides the room.
        unsafe bytes.withUnsafeBytes { source in
            if let base = source.baseAddress { unsafe (start + offset).copyMemory(from: base, byteCount: source.count) }
        }
        offset &+= bytes.count
    }

    @inline(__always)
    mutating func write(text: String) {
        // The text keeps its bytes during the call.
        let isContiguous: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe write(bytes: UnsafeRawBufferPointer($0))
        }
        if isContiguous == nil { write(copyOf: text) }
    }

    /// Not inlined, so that the fast path does not retain the text.
    @inline(never)
    private mutating func write(copyOf text: String) {
        // The array keeps its bytes during the call.
        unsafe Array(text.utf8).withUnsafeBytes { unsafe write(bytes: $0) }
    }

    @inline(__always)
    private mutating func write(bytes: UnsafeRawBufferPointer) {
        write(compact: UInt64(bytes.count))
        assert(offset &+ bytes.count <= capacity)
        // The creator provides the room.
        if let base = bytes.baseAddress { unsafe (start + offset).copyMemory(from: base, byteCount: bytes.count) }
        offset &+= bytes.count
    }

    /// The maximum number of bytes that a text takes.
    @inline(__always)
    static func size(of text: String) -> Int { text.utf8.count &+ lengthBytes }

    static let lengthBytes = 5

    /// Returns the bytes that the body writes.
    /// - Parameter capacity: The maximum number of bytes that it writes; at least 1.
    static func bytes(capacity: Int, _ body: (inout FrameWriter) -> Void) -> [UInt8] {
        // All bytes up to the writer's offset are initialized.
        unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var writer = unsafe FrameWriter(UnsafeMutableRawBufferPointer(buffer))
            body(&writer)
            count = writer.offset
        }
    }
}
