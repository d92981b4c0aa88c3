/// Numbers and bytes taken from an input. After its end, numbers are 0 and no bytes are left.
struct ByteInput {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = Array(bytes) }

    var isAtEnd: Bool { position >= bytes.count }

    mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    /// A number below the bound, which is at most 65,536.
    mutating func number(below bound: Int) -> Int {
        guard bound > 1 else { return 0 }
        return (bound <= 256 ? Int(byte()) : Int(byte()) << 8 | Int(byte())) % bound
    }

    mutating func word() -> UInt64 { (0..<8).reduce(0) { word, _ in word << 8 | UInt64(byte()) } }

    mutating func take(_ count: Int) -> [UInt8] {
        let taken = bytes[min(position, bytes.count)..<min(position + count, bytes.count)]
        position += taken.count
        return Array(taken)
    }

    /// The remaining bytes.
    mutating func rest() -> [UInt8] { take(bytes.count) }
}
