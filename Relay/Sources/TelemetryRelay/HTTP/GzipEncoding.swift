import CNIOExtrasZlib

/// Compresses data to one gzip member (RFC 1952) with zlib.
enum GzipEncoding {
    /// A window of 32 KiB, gzip format only.
    private static let windowBits: Int32 = 15 + 16
    static let bestCompression: Int32 = 9
    private static let memoryLevel: Int32 = 8

    /// - Parameter level: from 1, the fastest, to ``bestCompression``.
    /// - Returns: nil if zlib fails, which it does only without memory.
    static func compress(_ bytes: [UInt8], level: Int32) -> [UInt8]? {
        guard bytes.count < Int(UInt32.max) else { return nil }
        // zlib stores the address of its stream.
        let stream = UnsafeMutablePointer<cnioextras_z_stream>.allocate(capacity: 1)
        stream.initialize(to: cnioextras_z_stream())
        defer {
            stream.deinitialize(count: 1)
            stream.deallocate()
        }
        let status = CNIOExtrasZlib_deflateInit2(
            stream, level, CNIOEXTRAS_Z_DEFLATED, windowBits, memoryLevel, CNIOEXTRAS_Z_DEFAULT_STRATEGY)
        guard status == CNIOEXTRAS_Z_OK else { return nil }
        defer { _ = cnioextras_z_deflateEnd(stream) }
        let bound = Int(cnioextras_z_deflateBound(stream, UInt(bytes.count)))
        var input = bytes
        return input.withUnsafeMutableBytes { input in
            stream.pointee.next_in = CNIOExtrasZlib_voidPtr_to_BytefPtr(input.baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            var isComplete = false
            let output = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                stream.pointee.next_out = CNIOExtrasZlib_voidPtr_to_BytefPtr(output.baseAddress)
                stream.pointee.avail_out = UInt32(output.count)
                isComplete = cnioextras_z_deflate(stream, CNIOEXTRAS_Z_FINISH) == CNIOEXTRAS_Z_STREAM_END
                count = output.count - Int(stream.pointee.avail_out)
            }
            return isComplete ? output : nil
        }
    }
}
