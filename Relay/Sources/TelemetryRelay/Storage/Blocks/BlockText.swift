import Foundation
import NIOCore

/// The stored form of a block's text.
enum BlockText {
    /// zlib's default.
    private static let level: Int32 = 6

    static func pack(_ text: [UInt8]) throws -> Data {
        guard let packed = GzipEncoding.compress(text, level: level) else {
            throw RelayStorageError.unavailable("zlib has not enough memory")
        }
        return Data(packed)
    }

    static func unpack(_ packed: Data, length: Int) throws -> [UInt8] {
        do {
            let text = try GzipBody.decompress(ByteBuffer(bytes: packed), limit: length)
            return Array(text.readableBytesView)
        } catch {
            throw BlockScanner.malformed
        }
    }
}
