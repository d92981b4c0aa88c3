import Foundation
import HTTPTypes
import HummingbirdTesting
import Synchronization
import TelemetryModels
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

        func page(
            matching filter: RelayEventFilter, after cursor: RelayEventCursor?, limit: Int, order: RelayEventOrder
        ) async throws -> RelayEventPage {
            reads.add()
            return try await base.page(matching: filter, after: cursor, limit: limit, order: order)
        }

        func count(matching filter: RelayEventFilter) async throws -> Int { try await base.count(matching: filter) }

        func scenarioSizes() async throws -> (sizes: [RelayScenarioSize], hasMore: Bool) {
            reads.add()
            return try await base.scenarioSizes()
        }

        func result(
            of query: TelemetryQuery, matching filter: RelayEventFilter, now: Date, limit: Int, byteLimit: Int
        ) async throws -> RelayQueryResult {
            reads.add()
            return try await base.result(of: query, matching: filter, now: now, limit: limit, byteLimit: byteLimit)
        }

        func delete(
            matching filter: RelayEventFilter, entry: @escaping @Sendable () -> RelayAuditEntry?
        ) async throws -> Int {
            try await base.delete(matching: filter, entry: entry)
        }

        func latestCursor() async throws -> RelayEventCursor { try await base.latestCursor() }
        func hints(of clients: Set<String>?) -> AsyncStream<Void> { base.hints(of: clients) }
    }

    private struct NotingDebugLogStorage: DebugLogStorage {
        let base: any DebugLogStorage
        let reads: Reads

        func store(_ entries: [DebugLog]) async throws -> Int { try await base.store(entries) }

        func page(of query: DebugLogQuery) async throws -> DebugLogPage {
            reads.add()
            return try await base.page(of: query)
        }

        func hints() -> AsyncStream<Void> { base.hints() }
    }

    @Test("Each read of a request, also of one that waits or streams, is made for its client, or its token")
    func owners() async throws {
        let reads = Reads()
        let storage = AlteredStorage(try SQLiteRelayStorage(inMemory: .init())) {
            $0.events = NotingEventStorage(base: $0.events, reads: reads)
            $0.debugLogs = NotingDebugLogStorage(base: $0.debugLogs, reads: reads)
        }
        var configuration = RelayConfiguration()
        configuration.port = 0
        let viewer = try await RelayTokens(storage: storage.tokens).create(role: .viewer, name: "anna", lifetime: nil)
        let application = try Relay.application(
            configuration: configuration, storage: storage,
            logger: Bench.logger())
        try await application.testInTurn(.live) { client async throws -> Void in
            let relay = RelayBench(client: client, storage: storage)
            let start = try await storage.events.latestCursor().rawValue
            let batch = try WireEventBatch.read(WireSample.batch(WireSample.event("1")).utf8, limits: .init())
            _ = try await storage.events.append(batch)
            let host = TestCaller.host("a", token: try await relay.token(.host, name: "app"))
            _ = try await relay.get("/v1/events", as: host)
            _ = try await relay.get("/v1/events?wait=60", as: .bearing(viewer))
            _ = try await relay.get("/debug/logs", as: .bearing(viewer))
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
        #expect(reads.owners.withLock { Array($0.prefix(5)) } == [host, token, token, host, host])
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
