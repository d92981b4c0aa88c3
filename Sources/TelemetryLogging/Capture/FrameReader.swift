/// Reads what ``FrameWriter`` wrote; anything that does not fit ends in nil, never beyond the bytes.
struct FrameReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    mutating func read<Value: BitwiseCopyable>(_ type: Value.Type = Value.self) -> Value? {
        guard bytes.count - offset >= MemoryLayout<Value>.size else { return nil }
        defer { offset += MemoryLayout<Value>.size }
        return bytes.loadUnaligned(fromByteOffset: offset, as: type)
    }

    mutating func readCompact() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = read(UInt8.self) else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }

    mutating func readBytes() -> UnsafeRawBufferPointer? {
        guard let length = readCompact().flatMap(Int.init(exactly:)), bytes.count - offset >= length else { return nil }
        defer { offset += length }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)])
    }

    mutating func readText() -> String? { readBytes().map { String(decoding: $0, as: UTF8.self) } }
}
