import CZlib

/// The relay's decompression and zlib: what zlib takes, the relay takes, and what both take is the same. zlib also refuses
/// codes that leave bits without a meaning, flags without one, and a header whose own checksum is wrong.
enum InflateTarget {
    private static let limit = 1 << 16

    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let mode = bytes.first else { return }
        let input = Array(bytes.dropFirst())
        if mode & 1 == 0 {
            let (ours, end) = RelayAccess.inflate(input, limit: limit)
            let (zlibs, zlibsEnd) = expand(input, windowBits: -15)
            compare(ours, zlibs)
            if case .bytes = zlibs { require(end == zlibsEnd, "the data ends at \(end), and at \(zlibsEnd) by zlib") }
        } else {
            let ours = RelayAccess.gunzip(input, limit: limit)
            compare(ours, gunzip(input))
        }
    }

    private static func compare(_ ours: RelayAccess.Expansion, _ zlibs: RelayAccess.Expansion) {
        switch (ours, zlibs) {
        // One that stops at the limit does not see what is wrong behind it.
        case (.tooLarge, .malformed), (.malformed, .tooLarge), (.bytes, .malformed): break
        default: require(ours == zlibs, "the relay: \(ours), zlib: \(zlibs)")
        }
    }

    /// All members, one after the other.
    private static func gunzip(_ input: [UInt8]) -> RelayAccess.Expansion {
        var output: [UInt8] = []
        var rest = input
        repeat {
            guard case (.bytes(let bytes), let end) = expand(rest, windowBits: 31) else {
                return expand(rest, windowBits: 31).0
            }
            output += bytes
            if output.count > limit { return .tooLarge }
            rest = Array(rest[end...])
        } while !rest.isEmpty
        return .bytes(output)
    }

    private static func expand(_ input: [UInt8], windowBits: Int32) -> (RelayAccess.Expansion, Int) {
        var stream = z_stream()
        guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return (.malformed, 0)
        }
        defer { inflateEnd(&stream) }
        var input = input
        // One more than the limit: what fills it is too large.
        var output = [UInt8](repeating: 0, count: limit + 1)
        let size = output.count
        let status = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return inflate(&stream, Z_FINISH)
            }
        }
        let count = size - Int(stream.avail_out)
        if count > limit { return (.tooLarge, 0) }
        guard status == Z_STREAM_END else { return (.malformed, 0) }
        return (.bytes(Array(output.prefix(count))), input.count - Int(stream.avail_in))
    }
}
