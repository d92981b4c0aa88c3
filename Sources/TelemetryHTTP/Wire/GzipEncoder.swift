import Foundation

/// Compresses bodies as gzip (RFC 1952).
///
/// One pass, one candidate per hash, and the fixed codes of DEFLATE (RFC 1951, 3.2.6). Batches of events repeat names and
/// structure, which one pass finds.
struct GzipEncoder {
    /// Shorter data is not compressed.
    static let minimumBytes = 1_024

    private static let hashBits = 13
    private static let window = 32 << 10
    private static let minimumMatch = 4
    private static let maximumMatch = 258

    private var output: [UInt8] = []
    private var bits: UInt64 = 0
    private var bitCount = 0

    /// The data as gzip; nil if that is not shorter, or if the data is shorter than ``minimumBytes``.
    static func encode(ifShorter data: Data) -> Data? {
        guard data.count >= minimumBytes else { return nil }
        let compressed = encode(data)
        return compressed.count < data.count ? compressed : nil
    }

    /// The data as gzip.
    static func encode(_ data: Data) -> Data {
        var encoder = Self()
        encoder.output.reserveCapacity(data.count / 3 + 64)
        // Deflate, no name, no time, no flags, an unknown system.
        encoder.output += [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        data.withUnsafeBytes { encoder.deflate($0) }
        encoder.finish(checksum: CRC32.checksum(data), count: data.count)
        return Data(encoder.output)
    }

    private mutating func deflate(_ input: UnsafeRawBufferPointer) {
        // The last block, with fixed codes.
        put(0b011, 3)
        var heads = [Int32](repeating: -1, count: 1 << Self.hashBits)
        let count = input.count
        var position = 0
        while position + Self.minimumMatch <= count {
            let word = input.loadUnaligned(fromByteOffset: position, as: UInt32.self)
            let hash = Int((word &* 2_654_435_761) >> UInt32(32 - Self.hashBits))
            let candidate = Int(heads[hash])
            heads[hash] = Int32(truncatingIfNeeded: position)
            guard candidate >= 0, position - candidate <= Self.window,
                input.loadUnaligned(fromByteOffset: candidate, as: UInt32.self) == word
            else {
                putLiteral(input[position])
                position += 1
                continue
            }
            var length = Self.minimumMatch
            let most = min(Self.maximumMatch, count - position)
            while length < most, input[candidate + length] == input[position + length] { length += 1 }
            putMatch(length: length, distance: position - candidate)
            // Later matches can refer to positions within this match.
            let end = min(position + length, count - Self.minimumMatch)
            var covered = position + 1
            while covered < end {
                let word = input.loadUnaligned(fromByteOffset: covered, as: UInt32.self)
                heads[Int((word &* 2_654_435_761) >> UInt32(32 - Self.hashBits))] = Int32(truncatingIfNeeded: covered)
                covered += 1
            }
            position += length
        }
        while position < count {
            putLiteral(input[position])
            position += 1
        }
        // The end of the block.
        put(0, 7)
    }

    private mutating func putLiteral(_ byte: UInt8) {
        if byte < 144 {
            putReversed(0x30 + UInt32(byte), 8)
        } else {
            putReversed(0x190 + UInt32(byte) - 144, 9)
        }
    }

    private mutating func putMatch(length: Int, distance: Int) {
        // Lengths from 3 and distances from 1 fall into groups that double in size; extra bits tell their members apart.
        if length == Self.maximumMatch {
            putReversed(0xC0 + 285 - 280, 8)
        } else {
            let (group, extra, extraBits) = Self.group(length - 3, subgroupBits: 2)
            let symbol = UInt32(257 + group)
            if symbol < 280 { putReversed(symbol - 256, 7) } else { putReversed(0xC0 + symbol - 280, 8) }
            put(extra, extraBits)
        }
        let (group, extra, extraBits) = Self.group(distance - 1, subgroupBits: 1)
        putReversed(UInt32(group), 5)
        put(extra, extraBits)
    }

    /// The group of a value, and the bits by which it differs from the group's first member.
    private static func group(_ value: Int, subgroupBits: Int) -> (group: Int, extra: UInt64, bits: Int) {
        let size = 1 << subgroupBits
        if value < size { return (value, 0, 0) }
        let bits = Int.bitWidth - 1 - value.leadingZeroBitCount - subgroupBits
        return (bits << subgroupBits + (value >> bits), UInt64(value & ((1 << bits) - 1)), bits)
    }

    /// Codes begin with their highest bit, other numbers with their lowest.
    private mutating func putReversed(_ code: UInt32, _ count: Int) {
        put(UInt64(code.bitReversed >> UInt32(32 - count)), count)
    }

    private mutating func put(_ value: UInt64, _ count: Int) {
        bits |= value << UInt64(bitCount)
        bitCount += count
        while bitCount >= 8 {
            output.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            bitCount -= 8
        }
    }

    private mutating func finish(checksum: UInt32, count: Int) {
        if bitCount > 0 { put(0, 8 - bitCount) }
        for value in [checksum, UInt32(truncatingIfNeeded: count)] {
            for shift in [0, 8, 16, 24] as [UInt32] { output.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
    }
}

extension UInt32 {
    fileprivate var bitReversed: UInt32 {
        var value = (self >> 1) & 0x5555_5555 | (self & 0x5555_5555) << 1
        value = (value >> 2) & 0x3333_3333 | (value & 0x3333_3333) << 2
        value = (value >> 4) & 0x0F0F_0F0F | (value & 0x0F0F_0F0F) << 4
        return value.byteSwapped
    }
}

/// The checksum of gzip.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    static func checksum(_ data: Data) -> UInt32 {
        let table = table
        var value = UInt32.max
        data.withUnsafeBytes { bytes in
            for byte in bytes { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8) }
        }
        return ~value
    }
}
