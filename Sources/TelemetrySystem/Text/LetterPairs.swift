/// Which pairs of neighbouring letters some bytes have, in either case, or more than these. Of many words that are searched for, it
/// excludes most without reading the bytes again.
package struct LetterPairs: Sendable {
    /// Four pairs of a word, some of them the same if it has fewer.
    package typealias Sample = SIMD4<UInt16>

    /// The sample of what any bytes may have.
    package static let any = Sample(repeating: UInt16(count))
    private static let count = 1_024

    /// A bit for each pair, by the last five bits of both bytes, which letters of either case have in common; and one that is always set.
    private var bits = Self.none
    private static let none = [UInt64](repeating: 0, count: count / 64) + [1]

    package init() {}

    package mutating func removeAll() {
        for index in 0..<Self.count / 64 { bits[index] = 0 }
    }

    package mutating func insert(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard var last = bytes.first else { return }
        bits.withUnsafeMutableBufferPointer { bits in
            for byte in bytes.dropFirst() {
                let pair = Self.pair(last, byte)
                bits[Int(pair >> 6)] |= 1 << UInt64(pair & 63)
                last = byte
            }
        }
    }

    /// Whether the bytes may have the word of a sample.
    package func mayContain(_ sample: Sample) -> Bool {
        (0..<Sample.scalarCount).allSatisfy { bits[Int(sample[$0] >> 6)] >> UInt64(sample[$0] & 63) & 1 == 1 }
    }

    static func sample(of letters: [UInt8]) -> Sample {
        let pairs = zip(letters, letters.dropFirst()).map(pair)
        guard !pairs.isEmpty else { return any }
        var sample = Sample()
        for index in 0..<Sample.scalarCount { sample[index] = pairs[index * pairs.count / Sample.scalarCount] }
        return sample
    }

    private static func pair(_ first: UInt8, _ second: UInt8) -> UInt16 { UInt16(first & 31) << 5 | UInt16(second & 31) }
}
