import Foundation
import Synchronization
@_spi(Tooling) import TelemetryTestSupport

/// A connection to this machine that costs the measuring process as little as possible. Its calls block.
final class RawConnection: Sendable {
    let socket: LoopbackSocket
    private let received = Mutex<[UInt8]>([])

    init(port: UInt16) throws {
        guard let socket = LoopbackSocket.connected(to: port) else {
            throw Miscount(description: "no connection to port \(port)")
        }
        self.socket = socket
    }

    func send(_ bytes: [UInt8]) throws {
        guard socket.send(bytes) else { throw Miscount(description: "a connection ended while it was written to") }
    }

    /// Reads until the text has come, and drops what comes before its end.
    func wait(for text: String) throws {
        let wanted = Array(text.utf8)
        try received.withLock { buffer in
            while true {
                if let start = Self.index(of: wanted, in: buffer) {
                    buffer.removeFirst(start + wanted.count)
                    return
                }
                try readMore(into: &buffer)
            }
        }
    }

    /// Reads an answer with a `Content-Length`.
    func response() throws -> (status: Int, body: [UInt8]) {
        try received.withLock { buffer in
            let end = Array("\r\n\r\n".utf8)
            while true {
                if let start = Self.index(of: end, in: buffer) {
                    let head = String(decoding: buffer[..<start], as: UTF8.self).lowercased()
                    let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
                    let whole = start + end.count + Self.contentLength(head)
                    while buffer.count < whole { try readMore(into: &buffer) }
                    let body = Array(buffer[(start + end.count)..<whole])
                    buffer.removeFirst(whole)
                    return (status, body)
                }
                try readMore(into: &buffer)
            }
        }
    }

    private static func contentLength(_ head: String) -> Int {
        let line = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
        return line.flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) } ?? 0
    }

    private func readMore(into buffer: inout [UInt8]) throws {
        guard let piece = socket.received() else { throw Miscount(description: "a connection ended while it was read") }
        buffer += piece
    }

    private static func index(of wanted: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= wanted.count else { return nil }
        return (0...(bytes.count - wanted.count)).first { bytes[$0] == wanted[0] && bytes[$0...].starts(with: wanted) }
    }
}

/// Requests as bytes.
enum RawRequest {
    static func get(_ path: String, client: String? = nil) -> [UInt8] { bytes("GET", path, client: client, body: nil) }

    static func bytes(_ method: String, _ path: String, client: String?, body: [UInt8]?) -> [UInt8] {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        // The relay binds whatever key comes first.
        if let client { head += "Telemetry-Client: \(client)\r\nTelemetry-Client-Key: \(String(repeating: "a", count: 64))\r\n" }
        if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
        return Array("\(head)\r\n".utf8) + (body ?? [])
    }
}
