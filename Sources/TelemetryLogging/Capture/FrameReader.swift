/// Reads what ``FrameWriter`` wrote. Returns nil for a value that is not within the bytes.
struct FrameReader {
    private let bytes: ByteView
    private(set) var offset: Int

    init(_ bytes: ByteView, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    mutating func read<Value: BitwiseCopyable>(_ type: Value.Type = Value.self) -> Value? {
        guard let value = bytes.load(type, at: offset) else { return nil }
        offset += MemoryLayout<Value>.size
        return value
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

    /// Reads the length of bytes, and returns their place.
    mutating func readRange() -> Range<Int>? {
        guard let length = readCompact().flatMap(Int.init(exactly:)), bytes.count - offset >= length else { return nil }
        defer { offset += length }
        return offset..<(offset + length)
    }

    mutating func readBytes() -> ByteView? { readRange().map { bytes[$0] } }

    mutating func readText() -> String? { readBytes().map(\.text) }
}
