import Foundation
import Synchronization
import TelemetryHTTP

/// A server that keeps the bytes of each request and answers that fifty events are stored.
final class RequestSink: Sendable {
    let port: UInt16
    private let listener: FileHandle
    private let requests = Requests()

    private final class Requests: Sendable {
        let all = Mutex<[[UInt8]]>([])
    }

    init() throws {
        let (listener, port) = try Listener.open()
        self.listener = FileHandle(fileDescriptor: listener, closeOnDealloc: true)
        self.port = port
        let requests = requests
        Thread {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Thread { Self.answer(connection) { bytes in requests.all.withLock { $0.append(bytes) } } }.start()
            }
        }.start()
    }

    deinit { shutdown(listener.fileDescriptor, Int32(SHUT_RDWR)) }

    /// A transport of a host that sends its requests here.
    func host(_ client: String) async -> HTTPTelemetryTransport {
        var address = URLComponents()
        (address.scheme, address.host, address.port) = ("http", "127.0.0.1", Int(port))
        let transport = HTTPTelemetryTransport(
            url: address.url ?? URL(fileURLWithPath: "/"),
            credentials: .host(token: nil, secrets: InMemoryTelemetrySecretStore()))
        await transport.setClientIdentifier(client)
        return transport
    }

    func takeRequests() -> [[UInt8]] {
        requests.all.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }

    private static func answer(_ descriptor: Int32, _ keep: (([UInt8]) -> Void)) {
        defer { close(descriptor) }
        let body = "{\"stored\":50,\"duplicates\":0}"
        let answer = Array(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = read(descriptor, &piece, piece.count), count > 0 {
            bytes += piece[..<count]
            guard let length = requestLength(bytes), bytes.count >= length else { continue }
            keep(Array(bytes[..<length]))
            bytes.removeFirst(length)
            guard write(descriptor, answer, answer.count) == answer.count else { return }
        }
    }

    /// The bytes of the first request, head and body; nil while the head is not whole.
    private static func requestLength(_ bytes: [UInt8]) -> Int? {
        let end = Array("\r\n\r\n".utf8)
        guard let start = bytes.indices.dropLast(3).first(where: { bytes[$0...].starts(with: end) }) else { return nil }
        let head = String(decoding: bytes[..<start], as: UTF8.self).lowercased()
        let line = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
        let length = line.flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) } ?? 0
        return start + end.count + length
    }
}
