import Foundation
import Measure
import Synchronization
@_spi(Tooling) import TelemetryTestSupport

/// Streams of notifications that are open at the relay, one for each client, each with a subscription to its client's commands.
final class OpenStreams: Sendable {
    /// How many notifications arrived, and how many streams ended.
    struct Counts {
        var records: [Int]
        var closed = 0
    }

    let clients: [String]
    /// Yields when something arrived or a stream ended.
    let changes: AsyncStream<Void>
    private let connections: [RawConnection]
    private let counts: Mutex<Counts>

    /// Opens the streams one after the other; each is ready when this returns.
    init(_ count: Int, prefix: String = "stream", at relay: RelayServer) throws {
        clients = (0..<count).map { "\(prefix)-\($0)" }
        counts = Mutex(Counts(records: [Int](repeating: 0, count: count)))
        let requests = try RawConnection(port: relay.port)
        connections = try clients.map { client in
            let body = Array("{\"recordType\":\"TelemetryCommand\",\"clientid\":\"\(client)\"}".utf8)
            try requests.send(RawRequest.bytes("PUT", "/v1/subscriptions/s-\(client)", client: client, body: body))
            let status = try requests.response().status
            guard status == 204 else { throw Miscount(description: "a subscription was answered with \(status)") }
            let stream = try RawConnection(port: relay.port)
            try stream.send(RawRequest.get("/v1/notifications", client: client))
            try stream.wait(for: "event: ready")
            return stream
        }
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.changes = changes
        Thread { [self] in watch(continuation) }.start()
    }

    var state: Counts { counts.withLock { $0 } }

    /// Ends the thread that reads.
    func close() { for connection in connections { connection.socket.end() } }

    private func watch(_ continuation: AsyncStream<Void>.Continuation) {
        var polled = connections.map { pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0) }
        var open = polled.count
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let wanted = Array("event: record".utf8)
        while open > 0, poll(&polled, nfds_t(polled.count), -1) > 0 {
            for index in polled.indices where polled[index].revents != 0 {
                let length = read(polled[index].fd, &buffer, buffer.count)
                if length <= 0 {
                    // A negative descriptor is passed over.
                    polled[index].fd = -1
                    open -= 1
                    counts.withLock { $0.closed += 1 }
                } else {
                    let records = Self.count(wanted, in: buffer[..<length])
                    guard records > 0 else { continue }
                    counts.withLock { $0.records[index] += records }
                }
                continuation.yield()
            }
        }
        continuation.finish()
    }

    private static func count(_ wanted: [UInt8], in bytes: ArraySlice<UInt8>) -> Int {
        bytes.indices.count { bytes[$0] == wanted[0] && bytes[$0...].starts(with: wanted) }
    }
}
