import Foundation
import HTTPTypes
import HummingbirdTesting
import Synchronization
import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// The owners that a storage sees in each read.
struct RequestOwnersTests {
    private final class Reads: Sendable {
        let owners = Mutex<[[RelayCaller.Owner]]>([])

        func add() { owners.withLock { $0.append(RequestOwners.current) } }
    }

    /// Notes the owners of each read of a page.
    private struct NotingEventStorage: RelayEventStorage {
        let base: any RelayEventStorage
        let reads: Reads

        func append(_ batch: RelayEventBatch) async throws -> RelayAppendResult { try await base.append(batch) }

        func events(
            matching filter: RelayEventFilter, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
        ) async throws -> RelayEventPage {
            reads.add()
            return try await base.events(matching: filter, after: cursor, limit: limit, order: order)
        }

        func countEvents(matching filter: RelayEventFilter) async throws -> Int { try await base.countEvents(matching: filter) }
        func deleteEvents(matching filter: RelayEventFilter) async throws -> Int { try await base.deleteEvents(matching: filter) }
        func latestEventCursor() async throws -> RelayEventCursor { try await base.latestEventCursor() }
        func eventHints(of clients: Set<String>?) -> AsyncStream<Void> { base.eventHints(of: clients) }
    }

    private final class NotingStorage: ComposedRelayStorage {
        let base: SQLiteRelayStorage
        let reads = Reads()
        let stores: RelayStores

        init() throws {
            base = try SQLiteRelayStorage(inMemory: .init())
            stores = RelayStores(
                events: NotingEventStorage(base: base.stores.events, reads: reads), records: base.stores.records,
                subscriptions: base.stores.subscriptions, tokens: base.stores.tokens, clientKeys: base.stores.clientKeys)
        }

        func check() async throws { try await base.check() }
        func usage() async throws -> RelayUsage { try await base.usage() }
        func expire() async throws { try await base.expire() }
        func run() async throws { try await base.run() }
        func close() async throws { try await base.close() }
    }

    @Test("Each read of a request, also of one that waits or streams, is made for its client, or its token")
    func owners() async throws {
        let storage = try NotingStorage()
        var configuration = RelayConfiguration()
        configuration.port = 0
        let viewer = try await RelayTokens(storage: storage).create(role: .viewer, name: "anna", lifetime: nil)
        let application = try Relay.application(
            configuration: configuration, storage: try SQLiteDebugLogStorage(inMemory: .init()), telemetry: storage,
            logger: Bench.logger())
        try await application.test(.live) { client async throws -> Void in
            let relay = RelayBench(client: client, storage: storage)
            let start = try await storage.latestEventCursor().rawValue
            let batch = try WireEventBatch.read(WireSample.batch(WireSample.event("1")).utf8, limits: .init())
            _ = try await storage.append(batch)
            let host = TestCaller.host("a", token: try await relay.token(.host, name: "app"))
            _ = try await relay.get("/v1/events", as: host)
            _ = try await relay.get("/v1/events?wait=60", as: .bearing(viewer))
            let port = try #require(client.port)
            let headers = host.headers.map { ($0.name.rawName, $0.value) }
            // Reads to check the cursor, and then for the stream.
            try await StreamLines.open(port: port, "/v1/events/stream?after=\(start)", headers: headers) {
                stream async throws -> Void in
                #expect(try await stream.next()?.name == "telemetry")
            }
        }
        let host: [RelayCaller.Owner] = [.client("a"), .hosts]
        let token: [RelayCaller.Owner] = [.credential(.token(TokenText.hash(of: viewer)))]
        #expect(storage.reads.owners.withLock { Array($0.prefix(4)) } == [host, token, host, host])
        try await storage.close()
    }

    @Test("What waits for a transaction goes in turns of its owners, in the order of arrival")
    func turns() {
        let waiting: [(owner: RelayCaller.Owner?, number: Int)] = [
            (.client("a"), 1), (.client("a"), 2), (.client("a"), 3), (nil, 4), (.client("b"), 5), (.client("b"), 6),
        ]
        #expect(RequestOwners.inTurns(waiting, by: \.owner).map(\.number) == [1, 4, 5, 2, 6, 3])
        #expect(RequestOwners.inTurns([Int](), by: { _ in nil }).isEmpty)
    }
}
