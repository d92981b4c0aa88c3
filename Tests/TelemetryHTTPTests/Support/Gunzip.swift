import Foundation

/// Expands what the transport compresses: gzip of one block with fixed codes (RFC 1951, 3.2.6; RFC 1952).
struct Gunzip {
    private let bytes: [UInt8]
    private var position = 0

    /// The data, expanded where it is gzip; nil where that is malformed.
    static func expanded(_ data: Data) -> Data? {
        guard data.starts(with: [0x1F, 0x8B]) else { return data }
        var gunzip = Self(bytes: Array(data))
        return gunzip.expand()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func expand() -> Data? {
        guard bytes.count >= 18, bytes[2] == 8, bytes[3] == 0 else { return nil }
        position = 10 * 8
        guard bits(3) == 0b011 else { return nil }
        var output: [UInt8] = []
        while let symbol = symbol(), symbol != 256 {
            if symbol < 256 {
                output.append(UInt8(symbol))
                continue
            }
            guard let length = length(symbol), let distance = distance(), distance <= output.count else { return nil }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
        position = (position + 7) / 8 * 8
        guard position / 8 + 8 == bytes.count, bits(32) == Int(Self.checksum(output)), bits(32) == output.count else {
            return nil
        }
        return Data(output)
    }

    private mutating func bit() -> Int? {
        guard position < bytes.count * 8 else { return nil }
        defer { position += 1 }
        return Int(bytes[position / 8] >> (position % 8)) & 1
    }

    /// A number, its lowest bit first.
    private mutating func bits(_ count: Int) -> Int? {
        var value = 0
        for index in 0..<count {
            guard let bit = bit() else { return nil }
            value |= bit << index
        }
        return value
    }

    /// A code, its highest bit first.
    private mutating func code(_ count: Int, after start: Int = 0) -> Int? {
        var value = start
        for _ in 0..<count {
            guard let bit = bit() else { return nil }
            value = value << 1 | bit
        }
        return value
    }

    private mutating func symbol() -> Int? {
        guard let seven = code(7) else { return nil }
        if seven < 0b001_1000 { return 256 + seven }
        guard let eight = code(1, after: seven) else { return nil }
        if eight < 0b1100_0000 { return eight - 0b0011_0000 }
        if eight < 0b1100_1000 { return 280 + eight - 0b1100_0000 }
        return code(1, after: eight).map { 144 + $0 - 0b1_1001_0000 }
    }

    private mutating func length(_ symbol: Int) -> Int? {
        let bases = [
            3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
        ]
        guard bases.indices.contains(symbol - 257) else { return nil }
        let extra = symbol == 285 ? 0 : max(0, (symbol - 261) / 4)
        return bits(extra).map { bases[symbol - 257] + $0 }
    }

    private mutating func distance() -> Int? {
        guard let symbol = code(5), symbol < 30 else { return nil }
        if symbol < 4 { return symbol + 1 }
        let extra = symbol / 2 - 1
        return bits(extra).map { ((2 + symbol % 2) << extra) + 1 + $0 }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var value = UInt32.max
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
        }
        return ~value
    }
}
