import Foundation
import NIOCore
@_spi(Tooling) import TelemetryTestSupport

@testable import TelemetryRelay

/// A request in bytes.
struct HTTPMessage: Sendable {
    let method: String
    let path: String
    private var head: String
    private var body: [UInt8]

    /// The route without names; fates are counted per kind.
    var kind: String { "\(method) /" + path.split(separator: "/").prefix(2).joined(separator: "/") }

    /// The request with a header that closes the connection after the response.
    var closing: [UInt8] { Array("\(head)Connection: close\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body }

    /// The request, decompressed, with other event identifiers.
    func withOtherEvents(_ number: Int) -> Self {
        var copy = self
        if body.starts(with: [0x1F, 0x8B]), let expanded = try? GzipBody.decompress(ByteBuffer(bytes: body), limit: 4 << 20) {
            copy.body = Array(expanded.readableBytesView)
            let fields = head.components(separatedBy: "\r\n").filter { !$0.lowercased().hasPrefix("content-encoding:") }
            copy.head = fields.joined(separator: "\r\n")
        }
        copy.body = Array(
            String(decoding: copy.body, as: UTF8.self).replacing(#""eventId":""#, with: #""eventId":"\#(number)-"#).utf8)
        return copy
    }

    /// Reads the next request; nil if the connection ends before it.
    static func read(_ buffer: inout [UInt8], from socket: LoopbackSocket) -> Self? {
        var head = head(of: buffer)
        while head == nil {
            guard let piece = socket.received() else { return nil }
            buffer += piece
            head = Self.head(of: buffer)
        }
        guard let head else { return nil }
        while buffer.count < head.end + head.length {
            guard let piece = socket.received() else { return nil }
            buffer += piece
        }
        let lines = head.text.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ").map(String.init)
        guard words.count == 3 else { return nil }
        let kept = lines.filter { line in
            let name = line.prefix { $0 != ":" }.lowercased()
            return !line.isEmpty && name != "connection" && name != "content-length"
        }
        defer { buffer.removeFirst(head.end + head.length) }
        return Self(
            method: words[0], path: String(words[1].prefix { $0 != "?" }), head: kept.joined(separator: "\r\n") + "\r\n",
            body: Array(buffer[head.end..<(head.end + head.length)]))
    }

    struct Head {
        let text: String
        /// The offset of the body.
        let end: Int
        let length: Int
        let hasBody: Bool
    }

    /// The head; nil if it is not complete.
    static func head(of bytes: [UInt8]) -> Head? {
        let mark = Array("\r\n\r\n".utf8)
        guard let start = bytes.indices.dropLast(3).first(where: { bytes[$0...].starts(with: mark) }) else { return nil }
        let text = String(decoding: bytes[..<start], as: UTF8.self)
        let fields = text.lowercased().components(separatedBy: "\r\n")
        let length = fields.first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
        return Head(
            text: text, end: start + mark.count, length: length ?? 0,
            hasBody: length.map { $0 > 0 } ?? fields.contains { $0.hasPrefix("transfer-encoding:") })
    }

    static func answer(_ status: Int, _ body: String, closes: Bool = false) -> [UInt8] {
        let head = """
            HTTP/1.1 \(status) Answer\r
            Content-Type: application/json\r
            Retry-After: 0\r
            Content-Length: \(body.utf8.count)\r
            \(closes ? "Connection: close\r\n" : "")\r

            """
        return Array((head + body).utf8)
    }
}
