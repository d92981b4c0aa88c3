/// Which pairs of neighbouring letters some bytes have, in either case, or more than these. Of many words that are searched for, it
/// excludes most without reading the bytes again.
package struct LetterPairs: Sendable {
    /// A bit for each pair, by the last five bits of both bytes, which letters of either case have in common.
    private var bits = [UInt64](repeating: 0, count: 16)

    package init() {}

    package mutating func removeAll() {
        for index in bits.indices { bits[index] = 0 }
    }

    package mutating func insert(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard var last = bytes.first else { return }
        bits.withUnsafeMutableBufferPointer { bits in
            for byte in bytes.dropFirst() {
                let pair = Self.pair(last, byte)
                bits[Int(pair >> 6)] |= 1 << (pair & 63)
                last = byte
            }
        }
    }

    /// Whether the bytes may have what is searched for.
    package func mayContain(_ search: LetterSearch) -> Bool {
        search.pairs.allSatisfy { bits[Int($0 >> 6)] >> ($0 & 63) & 1 == 1 }
    }

    static func pair(_ first: UInt8, _ second: UInt8) -> UInt64 { UInt64(first & 31) << 5 | UInt64(second & 31) }
}
