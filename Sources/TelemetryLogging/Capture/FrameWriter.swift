/// Writes values one after another into memory that is large enough.
struct FrameWriter {
    private let start: UnsafeMutableRawPointer
    private(set) var offset: Int

    @inline(__always)
    init(_ start: UnsafeMutableRawPointer, at offset: Int = 0) {
        self.start = start
        self.offset = offset
    }

    @inline(__always)
    mutating func write<Value: BitwiseCopyable>(_ value: Value) {
        start.storeBytes(of: value, toByteOffset: offset, as: Value.self)
        offset &+= MemoryLayout<Value>.size
    }

    /// Seven bits a byte, the lowest first; the highest bit says that more follow.
    @inline(__always)
    mutating func write(compact number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            write(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        write(UInt8(truncatingIfNeeded: rest))
    }

    @inline(__always)
    mutating func write(text: String) {
        let isContiguous: Void? = text.utf8.withContiguousStorageIfAvailable { write(bytes: UnsafeRawBufferPointer($0)) }
        if isContiguous == nil {
            var copy = text
            copy.withUTF8 { write(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    @inline(__always)
    mutating func write(bytes: UnsafeRawBufferPointer) {
        write(compact: UInt64(bytes.count))
        if let base = bytes.baseAddress { (start + offset).copyMemory(from: base, byteCount: bytes.count) }
        offset &+= bytes.count
    }

    /// The most bytes that a text takes.
    @inline(__always)
    static func size(of text: String) -> Int { text.utf8.count &+ lengthBytes }

    static let lengthBytes = 5
}
