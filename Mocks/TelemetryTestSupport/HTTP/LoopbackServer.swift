public import Foundation
import Synchronization

/// A server on the loopback interface, on plain sockets, that misbehaves on request.
///
/// A connection serves one request, and the health checks before it; or every answered request, with `keepsConnections`.
/// Tests need not expect `GET /healthz`: it is answered separately and is only in ``arrivals``.
@_spi(Tooling)
public final class LoopbackServer: Sendable {
    /// The server's handling of a request.
    public enum Behaviour: Sendable {
        /// Answers with a status, headers and a body.
        case answers(Int, headers: [String: String] = [:], body: String = "")
        /// Answers with pieces that a test sends.
        case streams(LoopbackStream, status: Int = 200, headers: [String: String] = ["Content-Type": "text/event-stream"])
        /// Reads the request and never answers.
        case stalls
        /// Reads the request and closes the connection.
        case hangsUp
        /// Begins an answer, and closes the connection in the middle of its body.
        case closesHalfWay
        /// Answers with a status and a body of 4 MiB without a length.
        case floods(Int)
    }

    /// A step of the server that failed.
    public struct Failure: Error { let step: String }

    /// The server's URL.
    public let baseURL: URL
    private let listener: Int32
    private let behaviour: @Sendable (LoopbackRequest) -> Behaviour
    private let health: @Sendable () -> Behaviour
    private let keepsConnections: Bool
    private let arrived = CallLog<LoopbackRequest>()
    private let received = CallLog<LoopbackRequest>()
    private let departed = CallLog<LoopbackRequest>()
    private let taken = Atomic<Int>(0)

    /// - Parameter behaviours: One for each request; the last one applies to all later ones.
    public convenience init(_ behaviours: Behaviour...) throws {
        let rest = Mutex(behaviours)
        try self.init { _ in rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
    }

    /// - Parameters:
    ///   - keepsConnections: Whether a connection can have several requests.
    ///   - health: Returns the handling of each health check; called on any thread.
    ///   - behaviour: Returns the handling of each other request; called on any thread.
    public init(
        keepsConnections: Bool = false, health: @escaping @Sendable () -> Behaviour = { .answers(200, body: "ok") },
        answering behaviour: @escaping @Sendable (LoopbackRequest) -> Behaviour
    ) throws {
        self.behaviour = behaviour
        self.health = health
        self.keepsConnections = keepsConnections
        let (listener, port) = try Self.bound()
        self.listener = listener
        guard listen(listener, 128) == 0, let url = URL(string: "http://127.0.0.1:\(port)") else {
            throw Failure(step: "listen")
        }
        baseURL = url
        Thread.detachNewThread { [weak self] in
            for number in 0... {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Self.keepFromChildren(connection)
                guard let server = self else {
                    close(connection)
                    return
                }
                Thread.detachNewThread { server.serve(connection, number) }
            }
        }
    }

    deinit { stop() }

    /// Stops accepting connections.
    public func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// A port without a listener: bound, but not listening.
    public static func refusingURL() throws -> (url: URL, socket: Int32) {
        let (socket, port) = try bound()
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw Failure(step: "address") }
        return (url, socket)
    }

    /// The requests so far, including health checks.
    public var arrivals: [LoopbackRequest] { arrived.calls }

    /// The requests so far, without health checks.
    public var requests: [LoopbackRequest] { received.calls }

    /// Returns the next request when it has arrived completely, or nil if the calling task is cancelled.
    public func nextRequest() async -> LoopbackRequest? {
        await request(taken.wrappingAdd(1, ordering: .relaxed).oldValue)
    }

    /// Returns the request number `index`, from 0, when it has arrived completely, or nil if the calling task is cancelled.
    public func request(_ index: Int) async -> LoopbackRequest? {
        await received.wait { $0.count > index }
        let requests = received.calls
        return index < requests.count ? requests[index] : nil
    }

    /// Returns once at least `count` clients have closed a connection on which the server stalled or streamed.
    public func departures(atLeast count: Int = 1) async {
        await departed.wait { $0.count >= count }
    }

    private static func bound() throws -> (socket: Int32, port: UInt16) {
        #if canImport(Glibc)
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let socket = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        keepFromChildren(socket)
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

    /// Closes the socket in child processes: an inherited connection would stay open after its end here.
    private static func keepFromChildren(_ socket: Int32) { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }

    private func serve(_ connection: Int32, _ number: Int) {
        defer { close(connection) }
        while let request = LoopbackRequest.read(from: connection, connection: number) {
            let behaviour = request.isHealthCheck ? health() : behaviour(request)
            arrived.append(request)
            if !request.isHealthCheck { received.append(request) }
            let isKept = request.isHealthCheck || keepsConnections
            guard serve(request, behaviour, on: connection, keeping: isKept) else { return }
        }
    }

    /// Returns whether the connection can have another request.
    private func serve(_ request: LoopbackRequest, _ behaviour: Behaviour, on connection: Int32, keeping isKept: Bool) -> Bool {
        switch behaviour {
        case .answers(let status, let headers, let body):
            var head = "HTTP/1.1 \(status) Answer\r\nConnection: \(isKept ? "keep-alive" : "close")\r\n"
            // HTTP does not allow a body here.
            if status != 204 { head += "Content-Length: \(body.utf8.count)\r\n" }
            for (name, value) in headers { head += "\(name): \(value)\r\n" }
            return Self.write(Data((head + "\r\n" + body).utf8), to: connection) && isKept
        case .streams(let stream, let status, let headers):
            var head = "HTTP/1.1 \(status) Stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"
            for (name, value) in headers { head += "\(name): \(value)\r\n" }
            guard Self.write(Data((head + "\r\n").utf8), to: connection) else { return false }
            let watched = DispatchSemaphore(value: 0)
            Thread.detachNewThread { [departed] in
                Self.waitForEnd(of: connection)
                if !stream.isDrained {
                    departed.append(request)
                    stream.abandon()
                }
                watched.signal()
            }
            stream.drain { Self.write($0, to: connection) }
            // The descriptor must not be closed, and its number reused, while the other thread reads from it.
            shutdown(connection, Int32(SHUT_RDWR))
            watched.wait()
        case .stalls:
            Self.waitForEnd(of: connection)
            departed.append(request)
        case .hangsUp: break
        case .closesHalfWay:
            _ = Self.write(Data("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"sto".utf8), to: connection)
        case .floods(let status):
            _ = Self.write(Data("HTTP/1.1 \(status) Flood\r\nConnection: close\r\n\r\n".utf8), to: connection)
            let block = Data(repeating: 0x20, count: 64 * 1024)
            for _ in 0..<64 where !Self.write(block, to: connection) { return false }
        }
        return false
    }

    private static func waitForEnd(of connection: Int32) {
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
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
