/// Decompression of gzip data (RFC 1952).
enum Gzip {
    /// The bytes of all members, one after the other.
    /// - Throws: `Inflate.Malformed`, and `Inflate.TooLarge` once there would be more bytes than the limit.
    static func decompress(_ input: [UInt8], limit: Int) throws -> [UInt8] {
        var output: [UInt8] = []
        var rest = input[...]
        repeat {
            let start = try bodyStart(of: rest)
            let (bytes, end) = try Inflate.decompress(rest[start...], limit: limit - output.count)
            guard rest.endIndex - end >= 8 else { throw Inflate.Malformed(what: "the end is missing") }
            guard number(rest, at: end) == checksum(of: bytes),
                number(rest, at: end + 4) == UInt32(truncatingIfNeeded: bytes.count)
            else { throw Inflate.Malformed(what: "the checksum is another") }
            output += bytes
            rest = rest[(end + 8)...]
        } while !rest.isEmpty
        return output
    }

    private static func bodyStart(of member: ArraySlice<UInt8>) throws -> Int {
        guard member.count >= 18, member.prefix(3).elementsEqual([0x1F, 0x8B, 8]) else {
            throw Inflate.Malformed(what: "no gzip data")
        }
        var position = member.startIndex + 10
        let flags = member[member.startIndex + 3]
        if flags & 4 != 0 {
            position += 2 + Int(member[position]) + Int(member[position + 1]) << 8
        }
        // A name and a comment, each up to a zero.
        for flag: UInt8 in [8, 16] where flags & flag != 0 {
            guard position < member.endIndex, let zero = member[position...].firstIndex(of: 0) else {
                throw Inflate.Malformed(what: "a header without end")
            }
            position = zero + 1
        }
        if flags & 2 != 0 { position += 2 }
        guard position < member.endIndex else { throw Inflate.Malformed(what: "a header without end") }
        return position
    }

    private static func number(_ bytes: ArraySlice<UInt8>, at position: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[position + $1]) << UInt32(8 * $1) }
    }

    /// CRC-32 as gzip has it.
    private static func checksum(of bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
    }
}
