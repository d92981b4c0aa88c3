import Measure
import Peers
import TelemetryHTTP

extension RelaySuite {
    private static let client = "client-0"
    private static let manyConnections = 32
    private static let (viewer, host) = ("as a viewer, recorded", "as a host, not recorded")

    /// What the entries of the audit cost reads. A host's are not recorded, but its client's key is checked.
    func audit() async throws {
        let events = SampleEvents.make(scale.size(20_000), client: Self.client)
        for (title, path, count, connections) in [
            ("Read a page of 1,000 events", "events?limit=1000&", 800, Self.connections),
            ("Read a page of 100 events", "events?limit=100&", 4_000, Self.connections),
            ("Count events", "events/count?", 16_000, Self.connections),
            ("Count events", "events/count?", 16_000, Self.manyConnections),
        ] {
            let reads = scale.size(count) / connections
            func contender(_ name: String, client: String?) -> Contender {
                Contender(name, operations: connections * reads) { _ in
                    let relay = try await RelayServer.start(executable)
                    let viewer = relay.viewer()
                    for batch in StoreSuite.batches(of: events, size: 500) { try await viewer.append(batch) }
                    return relay
                } round: { relay in
                    let request = RawRequest.get("/v1/\(path)client=\(Self.client)", client: client)
                    try inParallel(Array(repeating: relay.port, count: connections)) { port in
                        let connection = try RawConnection(port: port)
                        for _ in 0..<reads {
                            try connection.send(request)
                            try expect(try connection.response().status, 200)
                        }
                    }
                }
            }
            let result = try await Comparison(
                "\(title), \(connections) connections", rounds: scale.effectiveRounds,
                contenders: [contender(Self.host, client: Self.client), contender(Self.viewer, client: nil)],
                aims: [.of(Self.viewer, atMost: 1.05, times: Self.host)]
            ).run()
            print(result.text())
        }
    }
}
