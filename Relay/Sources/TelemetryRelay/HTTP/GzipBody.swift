import CNIOExtrasZlib
import NIOCore

/// Decompresses gzip data (RFC 1952) with zlib. The output limit is enforced during decompression.
///
/// The request decompressor of swift-nio-extras works on a whole connection and closes it when the limit is exceeded. Here each
/// route has its own limit and response, so this uses the zlib of that package directly.
struct GzipBody: ~Copyable {
    enum Failure: Error, Equatable {
        case malformed(String)
        case tooLarge
    }

    private static let chunk = 64 << 10
    /// A window of 32 KiB, gzip format only.
    private static let windowBits: Int32 = 15 + 16

    // zlib stores the address of its stream.
    private let stream: UnsafeMutablePointer<cnioextras_z_stream>

    private init() throws(Failure) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: cnioextras_z_stream())
        guard CNIOExtrasZlib_inflateInit2(stream, Self.windowBits) == CNIOEXTRAS_Z_OK else {
            throw .malformed("zlib initialization failed")
        }
    }

    deinit {
        _ = cnioextras_z_inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Decompresses all members and concatenates their bytes.
    static func decompress(_ body: ByteBuffer, limit: Int) throws -> ByteBuffer {
        let decompressor = try GzipBody()
        var input = body
        var output = ByteBuffer()
        try input.readWithUnsafeMutableReadableBytes { bytes in
            try decompressor.expand(bytes, into: &output, limit: limit)
            return bytes.count
        }
        return output
    }

    private borrowing func expand(_ input: UnsafeMutableRawBufferPointer, into output: inout ByteBuffer, limit: Int) throws {
        guard let start = input.baseAddress, input.count <= UInt32.max else { throw Failure.malformed("not gzip data") }
        stream.pointee.next_in = CNIOExtrasZlib_voidPtr_to_BytefPtr(start)
        stream.pointee.avail_in = UInt32(input.count)
        while true {
            switch try inflate(into: &output, limit: limit) {
            case CNIOEXTRAS_Z_STREAM_END:
                if stream.pointee.avail_in == 0 { return }
                guard cnioextras_z_inflateReset(stream) == CNIOEXTRAS_Z_OK else { throw Failure.malformed("zlib reset failed") }
            case CNIOEXTRAS_Z_OK where stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0: continue
            case CNIOEXTRAS_Z_OK, CNIOEXTRAS_Z_BUF_ERROR: throw Failure.malformed("the data is truncated")
            default: throw Failure.malformed(stream.pointee.msg.map { String(cString: $0) } ?? "not gzip data")
            }
        }
    }

    /// Decompresses up to one more chunk.
    private borrowing func inflate(into output: inout ByteBuffer, limit: Int) throws -> Int32 {
        var result = CNIOEXTRAS_Z_OK
        // One byte above the limit: output that fills it is too large.
        let left = limit - output.readableBytes + 1
        output.writeWithUnsafeMutableBytes(minimumWritableBytes: min(Self.chunk, left)) { bytes in
            let room = min(bytes.count, left)
            stream.pointee.next_out = CNIOExtrasZlib_voidPtr_to_BytefPtr(bytes.baseAddress)
            stream.pointee.avail_out = UInt32(room)
            result = cnioextras_z_inflate(stream, CNIOEXTRAS_Z_NO_FLUSH)
            return room - Int(stream.pointee.avail_out)
        }
        guard output.readableBytes <= limit else { throw Failure.tooLarge }
        return result
    }
}
