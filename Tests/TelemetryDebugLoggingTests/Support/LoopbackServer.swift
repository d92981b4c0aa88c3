import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A real server on the loopback interface that misbehaves as it is told, on plain sockets.
final class LoopbackServer: Sendable {
    enum Behaviour: Sendable {
        case answers(Int, headers: [String: String] = [:], body: String = "")
        /// Takes the request and never answers.
        case stalls
        /// Takes the request and ends the connection.
        case hangsUp
        /// Begins an answer, and ends the connection in the middle of its body.
        case closesHalfWay
        /// Answers with a body of 4 MiB whose length it does not say, under a status.
        case floods(Int)
    }

    struct Request: Sendable {
        let head: String
        let body: Data

        func header(_ name: String) -> String? {
            for line in head.split(whereSeparator: \.isNewline).dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { continue }
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
            return nil
        }
    }

    struct Failure: Error { let step: String }

    let baseURL: URL
    private let listener: Int32
    private let behaviours: Mutex<[Behaviour]>
    private let received = Mutex<[Request]>([])
    private let arrivals = AsyncStream.makeStream(of: Request.self)

    /// - Parameter behaviours: one for each connection; the last one for all that follow.
    init(_ behaviours: Behaviour...) throws {
        self.behaviours = Mutex(behaviours)
        let (listener, port) = try Self.bound()
        self.listener = listener
        guard listen(listener, 16) == 0, let url = URL(string: "http://127.0.0.1:\(port)") else {
            throw Failure(step: "listen")
        }
        baseURL = url
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                guard let server = self else {
                    close(connection)
                    return
                }
                let behaviour = server.behaviours.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                Thread.detachNewThread { server.serve(connection, behaviour) }
            }
        }
    }

    deinit { stop() }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// A port on which nobody listens: bound, and never listened on.
    static func refusingURL() throws -> (url: URL, socket: Int32) {
        let (socket, port) = try bound()
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw Failure(step: "address") }
        return (url, socket)
    }

    var requests: [Request] { received.withLock { $0 } }

    /// Returns with the next request once it arrived whole.
    func nextRequest() async -> Request? {
        var iterator = arrivals.stream.makeAsyncIterator()
        return await iterator.next()
    }

    private static func bound() throws -> (socket: Int32, port: UInt16) {
        #if canImport(Glibc)
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let socket = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, size) == 0 ? getsockname(socket, pointer, &size) : -1
            }
        }
        guard socket >= 0, status == 0 else { throw Failure(step: "bind") }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    private func serve(_ connection: Int32, _ behaviour: Behaviour) {
        defer { close(connection) }
        guard let request = Self.readRequest(connection) else { return }
        received.withLock { $0.append(request) }
        arrivals.continuation.yield(request)
        switch behaviour {
        case .answers(let status, let headers, let body):
            var head = "HTTP/1.1 \(status) Answer\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n"
            for (name, value) in headers { head += "\(name): \(value)\r\n" }
            _ = Self.write(Data((head + "\r\n" + body).utf8), to: connection)
        case .stalls:
            var byte: UInt8 = 0
            while recv(connection, &byte, 1, 0) > 0 {}
        case .hangsUp: break
        case .closesHalfWay:
            _ = Self.write(Data("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"sto".utf8), to: connection)
        case .floods(let status):
            _ = Self.write(Data("HTTP/1.1 \(status) Flood\r\nConnection: close\r\n\r\n".utf8), to: connection)
            let block = Data(repeating: 0x20, count: 64 * 1024)
            for _ in 0..<64 where !Self.write(block, to: connection) { return }
        }
    }

    private static func readRequest(_ connection: Int32) -> Request? {
        var bytes = Data()
        let separator = Data("\r\n\r\n".utf8)
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            if let end = bytes.range(of: separator) {
                let request = Request(
                    head: String(decoding: bytes[..<end.lowerBound], as: UTF8.self), body: Data(bytes[end.upperBound...]))
                if request.body.count >= request.header("Content-Length").flatMap({ Int($0) }) ?? 0 { return request }
            }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            bytes.append(contentsOf: chunk[..<count])
        }
    }

    private static func write(_ data: Data, to connection: Int32) -> Bool {
        data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                #if canImport(Glibc)
                let flags = Int32(MSG_NOSIGNAL)
                #else
                let flags: Int32 = 0
                #endif
                let count = send(connection, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, flags)
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }
}
