import Foundation
import Synchronization
@_spi(Tooling) import TelemetryTestSupport

/// Stands between clients and a relay, and lets requests meet their fates.
///
/// It never ends a connection in the middle of an answer's headers: on Linux, URLSession ends the process then.
final class FaultyProxy: Sendable {
    /// A fault of the relay that is built in, to see that a simulation notices.
    enum PlantedFault: Sendable, CaseIterable {
        /// Events are acknowledged, but not stored.
        case forgetsEvents
        /// Events are stored twice, with different identifiers.
        case storesTwice
    }

    let port: UInt16
    let fates: FateSchedule
    private let relay: RestartableRelay
    private let planted: PlantedFault?
    private let listener: LoopbackSocket
    private let appends = Atomic<Int>(0)

    init(to relay: RestartableRelay, fates: FateSchedule, planted: PlantedFault? = nil) throws {
        guard let (listener, port) = LoopbackSocket.listening() else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        self.port = port
        self.relay = relay
        self.fates = fates
        self.planted = planted
        Thread.detachNewThread { [weak self] in
            while let connection = listener.accepted() {
                guard let proxy = self else { return }
                Thread.detachNewThread { proxy.serve(connection) }
            }
        }
    }

    func stop() { listener.end() }

    /// Serves one request, and the health checks before it, with which the transport opens connections.
    private func serve(_ client: LoopbackSocket) {
        var buffer: [UInt8] = []
        while let message = HTTPMessage.read(&buffer, from: client) {
            if message.path == "/healthz" {
                client.send(HTTPMessage.answer(200, "ok"))
                continue
            }
            let planted = message.kind == "POST /v1/events" ? planted : nil
            if planted == .forgetsEvents {
                client.send(HTTPMessage.answer(200, #"{"stored":1,"duplicates":0}"#, closes: true))
                return
            }
            if planted == .storesTwice { store(message.withOtherEvents(appends.add(1, ordering: .relaxed).newValue)) }
            return meet(fates.next(message.kind), message, client)
        }
    }

    /// Sends a request to the relay and ignores the response.
    private func store(_ request: HTTPMessage) {
        guard let port = relay.port, let upstream = LoopbackSocket.connected(to: port), upstream.send(request.closing) else {
            return
        }
        while upstream.received() != nil {}
        upstream.end()
    }

    private func meet(_ fate: NetworkFate, _ request: HTTPMessage, _ client: LoopbackSocket) {
        switch fate {
        case .pass: forward(request, to: client) { client.send($0) }
        case .resetBefore: client.resetWhenClosed()
        case .unavailable: client.send(HTTPMessage.answer(503, #"{"code":"unavailable"}"#, closes: true))
        case .rateLimited: client.send(HTTPMessage.answer(429, #"{"code":"rateLimited"}"#, closes: true))
        case .resetAfter:
            client.resetWhenClosed()
            forward(request, to: client) { _ in false }
        case .cutBody:
            forward(request, to: client) { bytes in
                let hasBody = HTTPMessage.head(of: bytes).map { bytes.count > $0.end } ?? false
                client.send(hasBody ? Array(bytes.dropLast()) : bytes)
                if hasBody { client.resetWhenClosed() }
                return false
            }
        }
    }

    /// Sends a request to the relay and passes the response to `take`, the head together with the first piece of the body, until
    /// `take` returns false.
    private func forward(_ request: HTTPMessage, to client: LoopbackSocket, take: ([UInt8]) -> Bool) {
        guard let port = relay.port, let upstream = LoopbackSocket.connected(to: port), upstream.send(request.closing) else {
            return client.resetWhenClosed()
        }
        // If the client closes a stream, the connection to the relay is closed too.
        Thread.detachNewThread { [client] in
            while client.received() != nil {}
            upstream.end()
        }
        defer {
            upstream.end()
            client.endReading()
        }
        var bytes: [UInt8] = []
        var isHeadSent = false
        while let piece = upstream.received() {
            bytes += piece
            if !isHeadSent {
                guard let head = HTTPMessage.head(of: bytes) else { continue }
                // With at least one byte of the body, if there is a body.
                if head.hasBody, bytes.count == head.end { continue }
                bytes.insert(contentsOf: Array("\r\nConnection: close".utf8), at: head.end - 4)
                isHeadSent = true
            }
            guard take(bytes) else { return }
            bytes = []
        }
        if !isHeadSent { client.resetWhenClosed() }
    }
}
