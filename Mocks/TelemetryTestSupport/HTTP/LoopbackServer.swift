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
    private let listener: LoopbackSocket
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
        guard let (listener, port) = LoopbackSocket.listening(), let url = URL(string: "http://127.0.0.1:\(port)") else {
            throw Failure(step: "listen")
        }
        self.listener = listener
        baseURL = url
        Thread.detachNewThread { [weak self] in
            for number in 0... {
                guard let connection = listener.accepted(), let server = self else { return }
                Thread.detachNewThread { server.serve(connection, number) }
            }
        }
    }

    deinit { stop() }

    /// Stops accepting connections.
    public func stop() { listener.end() }

    /// A port without a listener: bound, but not listening.
    public static func refusingURL() throws -> (url: URL, socket: LoopbackSocket) {
        guard let (socket, port) = LoopbackSocket.bound(), let url = URL(string: "http://127.0.0.1:\(port)") else {
            throw Failure(step: "bind")
        }
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

    private func serve(_ connection: LoopbackSocket, _ number: Int) {
        while let request = LoopbackRequest.read(from: connection, connection: number) {
            let behaviour = request.isHealthCheck ? health() : behaviour(request)
            arrived.append(request)
            if !request.isHealthCheck { received.append(request) }
            let isKept = request.isHealthCheck || keepsConnections
            guard serve(request, behaviour, on: connection, keeping: isKept) else { return }
        }
    }

    /// Returns whether the connection can have another request.
    private func serve(_ request: LoopbackRequest, _ behaviour: Behaviour, on connection: LoopbackSocket, keeping isKept: Bool)
        -> Bool
    {
        switch behaviour {
        case .answers(let status, let headers, let body):
            var head = "HTTP/1.1 \(status) Answer\r\nConnection: \(isKept ? "keep-alive" : "close")\r\n"
            // HTTP does not allow a body here.
            if status != 204 { head += "Content-Length: \(body.utf8.count)\r\n" }
            for (name, value) in headers { head += "\(name): \(value)\r\n" }
            return connection.send(Array((head + "\r\n" + body).utf8)) && isKept
        case .streams(let stream, let status, let headers):
            var head = "HTTP/1.1 \(status) Stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"
            for (name, value) in headers { head += "\(name): \(value)\r\n" }
            guard connection.send(Array((head + "\r\n").utf8)) else { return false }
            let watched = DispatchSemaphore(value: 0)
            Thread.detachNewThread { [departed] in
                Self.waitForEnd(of: connection)
                if !stream.isDrained {
                    departed.append(request)
                    stream.abandon()
                }
                watched.signal()
            }
            stream.drain { connection.send(Array($0)) }
            connection.end()
            watched.wait()
        case .stalls:
            Self.waitForEnd(of: connection)
            departed.append(request)
        case .hangsUp: break
        case .closesHalfWay:
            connection.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"sto".utf8))
        case .floods(let status):
            connection.send(Array("HTTP/1.1 \(status) Flood\r\nConnection: close\r\n\r\n".utf8))
            let block = [UInt8](repeating: 0x20, count: 64 * 1024)
            for _ in 0..<64 where !connection.send(block) { return false }
        }
        return false
    }

    private static func waitForEnd(of connection: LoopbackSocket) {
        while connection.received() != nil {}
    }
}
