import Foundation
import Measure
import Peers
import TelemetryHTTP
import TelemetryModels
import TelemetryTransport

extension RelaySuite {
    static let connections = 4
    static let batch = 50

    /// Each event is on disk when its batch is answered: the relay's database and the peer's wait for the disk (`FULL`).
    func throughput() -> Comparison {
        let each = scale.size(20_000) / Self.batch * Self.batch
        let events = (0..<Self.connections).map { SampleEvents.make(each, session: $0, client: "client-\($0)") }
        let batches = events.map { StoreSuite.batches(of: $0, size: Self.batch) }
        let executable = executable
        return Comparison(
            "Store in batches of \(Self.batch), on disk when answered, per event", rounds: scale.effectiveRounds,
            contenders: [
                Contender("GRDB alone, FULL", operations: Self.connections * each) { directory in
                    try SQLitePeer(directory: directory, synchronous: .full)
                } round: { store in
                    for batch in batches.joined() { try store.append(batch[...]) }
                },
                Contender("relay, 4 transports", operations: Self.connections * each) { _ in
                    let relay = try await RelayServer.start(executable)
                    var hosts: [HTTPTelemetryTransport] = []
                    for connection in 0..<Self.connections { hosts.append(await relay.host("client-\(connection)")) }
                    return (relay, hosts)
                } round: { relay, hosts in
                    try await withThrowingTaskGroup { group in
                        for (host, batches) in zip(hosts, batches) {
                            group.addTask { for batch in batches { try await host.append(batch) } }
                        }
                        try await group.waitForAll()
                    }
                    withExtendedLifetime(relay) {}
                },
                Contender("relay, 4 connections with prepared requests", operations: Self.connections * each) { _ in
                    (try await RelayServer.start(executable), try await Self.requests(batches))
                } round: { relay, requests in
                    try Self.send(requests, to: [relay])
                },
                Contender("relay, 4 connections with prepared lines", operations: Self.connections * each) { _ in
                    (try await RelayServer.start(executable), try await Self.requests(batches, asLines: true))
                } round: { relay, requests in
                    try Self.send(requests, to: [relay])
                },
            ],
            aims: [
                .of("relay, 4 transports", atMost: 2.5, times: "GRDB alone, FULL"),
                .of("relay, 4 connections with prepared requests", atMost: 2.5, times: "GRDB alone, FULL"),
                .of(
                    "relay, 4 connections with prepared lines", atMost: 1.1, times: "relay, 4 connections with prepared requests"),
            ])
    }

    /// The requests that a transport sends for batches of one client, as bytes.
    static func requests(_ batches: [[TelemetryEvent]], asLines: Bool = false) async throws -> [[UInt8]] {
        let sink = try RequestSink(acceptsLines: asLines)
        let transport = await sink.host(batches[0][0].clientId ?? "client")
        // Lines follow the first response.
        if asLines { try await transport.append(batches[0]) }
        for batch in batches { try await transport.append(batch) }
        return Array(sink.requests.suffix(batches.count))
    }

    /// The same for the batches of several clients.
    static func requests(_ batches: [[[TelemetryEvent]]], asLines: Bool = false) async throws -> [[[UInt8]]] {
        var requests: [[[UInt8]]] = []
        for batches in batches { requests.append(try await Self.requests(batches, asLines: asLines)) }
        return requests
    }

    /// Sends each list of requests over a connection of its own, the first to the first relay and so on in turns.
    static func send(_ requests: [[[UInt8]]], to relays: [RelayServer]) throws {
        let connections = requests.indices.map { (requests: requests[$0], port: relays[$0 % relays.count].port) }
        try inParallel(connections) { requests, port in
            let connection = try RawConnection(port: port)
            for request in requests {
                try connection.send(request)
                let (status, body) = try connection.response()
                guard status == 200, String(decoding: body, as: UTF8.self).contains("\"stored\":\(batch)") else {
                    throw Miscount(description: "\(status) \(String(decoding: body, as: UTF8.self))")
                }
            }
        }
    }
}
