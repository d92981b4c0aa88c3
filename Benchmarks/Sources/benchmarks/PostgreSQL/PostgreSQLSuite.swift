#if PostgreSQL
import Foundation
import Measure
import Peers
import TelemetryHTTP
import TelemetryModels
import TelemetryTransport

/// Two relays that share a database, beside a client of the database in the own process.
struct PostgreSQLSuite: Sendable {
    let scale: Scale
    let executable: String
    /// The address of a server.
    let server: String
    /// The number of events in the large store.
    let events: Int

    /// Relays on one new database.
    struct Relays: Sendable {
        let database: TemporaryDatabase
        let servers: [RelayServer]

        static func start(_ count: Int, of suite: PostgreSQLSuite) async throws -> Self {
            let database = try TemporaryDatabase(on: suite.server)
            var servers: [RelayServer] = []
            for _ in 0..<count {
                servers.append(try await RelayServer.start(suite.executable, database: database.address))
            }
            return Self(database: database, servers: servers)
        }
    }

    /// Each event is on disk when its batch is answered.
    func throughput() throws -> Comparison {
        let (connections, size) = (RelaySuite.connections, RelaySuite.batch)
        let each = scale.size(20_000) / size * size
        let batches = (0..<connections).map { connection in
            StoreSuite.batches(of: SampleEvents.make(each, session: connection, client: "client-\(connection)"), size: size)
        }
        let prepared = try batches.map { try $0.map { try PostgreSQLPeer.Batch($0) } }
        return Comparison(
            "Store in batches of \(size) over \(connections) connections, on disk when answered, per event",
            rounds: scale.effectiveRounds,
            contenders: [
                Contender("libpq alone", operations: connections * each) { [server] _ in
                    let database = try TemporaryDatabase(on: server)
                    try PostgreSQLPeer(database: database.address).prepare()
                    return database
                } round: { database in
                    try Self.append(prepared, to: database)
                },
                Contender("relay on SQLite", operations: connections * each) { [executable] _ in
                    (try await RelayServer.start(executable), try await RelaySuite.requests(batches))
                } round: { relay, requests in
                    try RelaySuite.send(requests, to: [relay])
                },
                Contender("relay on PostgreSQL", operations: connections * each) { _ in
                    (try await Relays.start(1, of: self), try await RelaySuite.requests(batches))
                } round: { relays, requests in
                    try RelaySuite.send(requests, to: relays.servers)
                },
                Contender("two relays on PostgreSQL", operations: connections * each) { _ in
                    (try await Relays.start(2, of: self), try await RelaySuite.requests(batches))
                } round: { relays, requests in
                    try RelaySuite.send(requests, to: relays.servers)
                },
            ], aims: [.of("two relays on PostgreSQL", atMost: 2.5, times: "libpq alone")])
    }

    /// Each thread has its own connection.
    private static func append(_ batches: [[PostgreSQLPeer.Batch]], to database: TemporaryDatabase) throws {
        try inParallel(batches) { batches in
            let store = try PostgreSQLPeer(database: database.address)
            try store.prepare()
            for batch in batches { try expect(try store.append(batch), batch.count) }
        }
    }
}
#endif
