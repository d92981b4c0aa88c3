import Foundation
import NIOCore
@_spi(Tooling) import TelemetryModels

/// A file of the viewer's page, as it is sent: plain and, where it helps, compressed, each with its entity tag.
struct PageFile: Sendable {
    /// One representation of a file.
    struct Form: Sendable {
        let body: ByteBuffer
        let entityTag: String
    }

    let contentType: String
    let plain: Form
    /// Nil if compression does not make the file smaller.
    let gzip: Form?

    init(_ bytes: [UInt8], contentType: String) {
        self.contentType = contentType
        let digest = SHA256.digest(of: bytes).prefix(16).map { String(format: "%02x", $0) }.joined()
        plain = Form(body: ByteBuffer(bytes: bytes), entityTag: "\"\(digest)\"")
        // Representations that differ in their bytes need different strong entity tags (RFC 9110, 8.8.3).
        gzip = GzipEncoding.compress(bytes, level: GzipEncoding.bestCompression).flatMap { compressed in
            compressed.count < bytes.count ? Form(body: ByteBuffer(bytes: compressed), entityTag: "\"\(digest)-gzip\"") : nil
        }
    }
}
