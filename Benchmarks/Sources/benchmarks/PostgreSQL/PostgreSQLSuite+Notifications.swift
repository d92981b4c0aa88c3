#if PostgreSQL
import Foundation
import Measure
import TelemetryHTTP
import TelemetryModels
import TelemetryTransport

extension PostgreSQLSuite {
    private static let client = "notified"
    private static let pace = Duration.milliseconds(20)

    /// From just before a command is saved over one relay to its notification on a stream that is open at the other.
    func notifications() async throws {
        let relays = try await Relays.start(2, of: self)
        let viewer = relays.servers[0].viewer()
        let stream = try Self.stream(at: relays.servers[1])
        let count = scale.quick ? 10 : 500
        var latencies = Latencies()
        for index in -5..<count {
            let start = now()
            async let saved = viewer.createCommand(.init(clientId: Self.client, action: .enable))
            try stream.wait(for: "event: record")
            let arrived = now()
            _ = try await saved
            // The first ones open connections.
            if index >= 0 { latencies.record(nanoseconds: arrived - start) }
            try await Task.sleep(for: Self.pace)
        }
        var table = FigureTable(columns: Latencies.columns)
        table.add(latencies.row("command saved over relay A → stream at relay B"))
        print("### From relay to relay over PostgreSQL, paced by \(Self.pace)\n\n\(table.text())\n")
        print(RelaySuite.verdict("notified, p99", Double(latencies.percentile(99)) / 1e6, atMost: 25, " ms") + "\n")
        withExtendedLifetime(relays) {}
    }

    private static func stream(at relay: RelayServer) throws -> RawConnection {
        let requests = try RawConnection(port: relay.port)
        let body = Array("{\"recordType\":\"TelemetryCommand\",\"clientid\":\"\(client)\"}".utf8)
        try requests.send(RawRequest.bytes("PUT", "/v1/subscriptions/\(client)", client: client, body: body))
        try expect(try requests.response().status, 204)
        let stream = try RawConnection(port: relay.port)
        try stream.send(RawRequest.get("/v1/notifications", client: client))
        try stream.wait(for: "event: ready")
        return stream
    }
}
#endif
