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

extension EventBlock {
    /// The lines of all events, with their headers.
    func text(_ db: any StorageConnection) throws -> [UInt8] { try text(of: Self.bodies(of: [self], db)[0]) }

    /// The stored form of each block's text, read together.
    static func bodies(of blocks: [EventBlock], _ db: any StorageConnection) throws -> [Data] {
        let rows = try db.rows(blocks.map { Statement("SELECT body FROM event_block WHERE id = $1", [.int($0.id)]) })
        return try rows.map { rows in
            guard let body = try rows.first?.bytes(0) else { throw BlockScanner.malformed }
            return body
        }
    }

    /// The lines of all events, with their headers.
    func text(of body: Data) throws -> [UInt8] {
        let text = isPacked ? try BlockText.unpack(body, length: length) : Array(body)
        guard text.count == length else { throw BlockScanner.malformed }
        return text
    }
}
