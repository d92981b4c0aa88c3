import Foundation
import GRDB
import HTTPTypes
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryRelay

#if PostgreSQL
import PostgreSQLClient
#endif

/// How queries share the database's readers, and what a query that takes too long results in.
struct TurnsTests {
    private typealias Owner = RelayCaller.Owner
    private static let viewer: [Owner] = [.credential(.configured)]

    private static let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n"

    private static func host(_ client: String) -> [Owner] { [.client(client), .hosts] }

    @Test("A client has one turn, all hosts have half, a token has half, and others have all")
    func limits() {
        var shares = TurnShares(maximum: 5)
        func take(_ callers: [[Owner]]) -> [Bool] { callers.map { shares.take(for: $0) } }
        #expect(take(["a", "a", "b", "c"].map(Self.host)) == [true, false, true, false])
        #expect(take([Self.viewer, Self.viewer, Self.viewer]) == [true, true, false])
        #expect(take([[], []]) == [true, false])
        shares.giveBack(from: Self.host("a"))
        #expect(take([Self.host("c")]) == [true])
    }

    @Test("Owners that wait take turns, however many queries each of them has")
    func turns() {
        var shares = TurnShares(maximum: 4)
        var used = [Self.host("a"), Self.host("b")]
        for owners in used { _ = shares.take(for: owners) }
        var waiting = ["a", "a", "a", "b", "c", "c"].map(Self.host) + [[]]
        var order: [[Owner]] = []
        while !used.isEmpty {
            shares.giveBack(from: used.removeFirst())
            guard let next = shares.takeNext(of: waiting) else { continue }
            order.append(waiting[next])
            used.append(waiting.remove(at: next))
        }
        #expect(order == [Self.host("c"), [], Self.host("a"), Self.host("b"), Self.host("c"), Self.host("a"), Self.host("a")])
    }

    @Test("While turns are paused, no query begins; those that waited begin afterwards")
    func paused() async throws {
        let clock = ManualClock()
        let turns = Turns(maximum: 2, clock: clock)
        let waiting = await turns.whilePaused {
            let waiting = (1...2).map { _ in Task { try await turns.run {} } }
            await clock.sleepers(atLeast: 2)
            return waiting
        }
        for waiting in waiting { try await waiting.value }
        try await turns.run {}
    }

    @Test("A client has at most 32 requests that wait")
    func waiting() async throws {
        let clock = ManualClock()
        let turns = Turns(maximum: 2, clock: clock)
        func run(_ owners: [Owner]) -> Task<Void, any Error> {
            Task { try await RequestOwners.$current.withValue(owners) { try await turns.run {} } }
        }
        var waiting: [Task<Void, any Error>] = []
        try await RequestOwners.$current.withValue(Self.host("a")) {
            try await turns.run {
                waiting = (1...32).map { _ in run(Self.host("a")) }
                await clock.sleepers(atLeast: 32)
                await #expect(throws: RelayStorageError.busy) { try await run(Self.host("a")).value }
                waiting.append(run(Self.host("b")))
                await clock.sleepers(atLeast: 33)
            }
        }
        for task in waiting { try await task.value }
    }

    @Test("A query that is cancelled while it waits does not take a turn")
    func cancelled() async throws {
        let clock = ManualClock()
        let turns = Turns(maximum: 1, clock: clock)
        try await turns.run {
            let waiting = Task { try await turns.run {} }
            await clock.sleepers(atLeast: 1)
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
        try await turns.run {}
    }

    @Test("The write-ahead log is shortened between queries, however they overlap")
    func log() async throws {
        let clock = ManualClock()
        try await withTemporaryDirectory { directory in
            var configuration = RelayStorageConfiguration()
            configuration.clock = clock
            let file = directory.appending(path: "relay.sqlite")
            let storage = try SQLiteRelayStorage(file: file, configuration: configuration)
            let database = storage.database
            try await withThrowingTaskGroup(of: Int?.self) { group in
                group.addTask {
                    try? await database.query { try $0.int(Self.endless).map(Int.init) }
                }
                await clock.sleepers(atLeast: 1)
                _ = try await storage.events.append(Sample.events(1...100))
                try await database.shortenLog()
                func size() throws -> Int? {
                    try FileManager.default.attributesOfItem(atPath: file.path + "-wal")[.size] as? Int
                }
                #expect(try size() != 0)
                let shortening = Task { try await database.shortenLog(above: 0) }
                // A short read waits for neither.
                try await storage.check()
                clock.advance(by: .seconds(20))
                #expect(try await group.next() == .some(nil))
                try await shortening.value
                #expect(try size() == 0)
                #expect(try await storage.events.count(matching: .all) == 100)
            }
            try await storage.close()
        }
    }

    @Test("While a query does not end, others' and short ones are answered; at its time limit it is cancelled")
    func endless() async throws {
        let clock = ManualClock()
        try await withTemporaryDirectory { directory in
            var configuration = RelayStorageConfiguration()
            (configuration.clock, configuration.queryTime) = (clock, .seconds(60))
            let storage = try SQLiteRelayStorage(file: directory.appending(path: "relay.sqlite"), configuration: configuration)
            let database = storage.database
            func query(_ owners: [Owner], _ sql: String) async throws {
                try await RequestOwners.$current.withValue(owners) {
                    _ = try await database.query { try $0.int(sql) }
                }
            }
            try await withThrowingTaskGroup(of: RelayStorageError?.self) { group in
                func start(_ sql: String) {
                    group.addTask {
                        do {
                            try await query(Self.host("a"), sql)
                            return nil
                        } catch {
                            return error as? RelayStorageError
                        }
                    }
                }
                start(Self.endless)
                await clock.sleepers(atLeast: 1)
                start("SELECT 1")
                await clock.sleepers(atLeast: 2)
                try await query(Self.host("b"), "SELECT 1")
                try await query(Self.viewer, "SELECT 1")
                try await storage.check()
                clock.advance(by: .seconds(20))
                #expect(try await group.next() == .busy)
                clock.advance(by: .seconds(40))
                #expect(try await group.next() == .timedOut)
            }
            try await query(Self.host("a"), "SELECT 1")
            try await storage.close()
        }
    }

    @Test(
        "One change of a client waits for the storage at once; 32 more wait for their turn, and others are refused",
        arguments: [
            (HTTPRequest.Method.post, "/v1/records", WireSample.save("overwrite", WireSample.record("r"))),
            (.post, "/v1/records/delete", #"{"recordNames":["r"]}"#), (.delete, "/v1/events?session=s", ""),
            (.put, "/v1/subscriptions/s", #"{"recordType":"TelemetryScenario","clientid":"a"}"#),
            (.delete, "/v1/subscriptions/s", ""),
        ])
    func changes(method: HTTPRequest.Method, path: String, body: String) async throws {
        // As no time passes, only the first request looks up the client's key, and whether there are tokens, and no wait ends.
        try await RelayBench.run(clock: ManualClock(), uptime: { .zero }) { relay async throws -> Void in
            let host = TestCaller.host("a")
            _ = try await relay.get("/v1/server", as: host)
            let database = try #require(relay.storage as? SQLiteRelayStorage).database
            let end = DispatchSemaphore(value: 0)
            database.writer.asyncWriteWithoutTransaction { _ in end.wait() }
            try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group async throws -> Void in
                for _ in 1...34 { group.addTask { try await relay.send(method, path, body, as: host).status } }
                #expect(try await group.next() == .serviceUnavailable)
                end.signal()
                let statuses = try await group.reduce(into: []) { $0.append($1.code) }
                #expect(statuses.count == 33 && statuses.allSatisfy { $0 < 300 }, "\(statuses)")
            }
        }
    }

    @Test("A query that waits or takes too long is unavailable", arguments: [RelayStorageError.busy, .timedOut])
    func problem(error: RelayStorageError) throws {
        let problem = try #require(Problem(error))
        #expect(problem.status == .serviceUnavailable && problem.code == .unavailable && problem.headers[.retryAfter] != nil)
    }

    #if PostgreSQL
    @Test("A query beyond the database's time limit is unavailable, and says why", .enabled(if: TestServer.url != nil))
    func timeLimit() async throws {
        let driver = try #require(StorageDriver.shared.first)
        try await StorageBench.open(driver) { storage in
            let database = try #require(storage as? PostgreSQLRelayStorage).database
            let error = await #expect(throws: RelayStorageError.self) {
                try await database.query { connection in
                    try connection.enqueue("SET LOCAL statement_timeout = 1", [])
                    return try connection.rows("SELECT pg_sleep(60)")
                }
            }
            let problem = try #require(error.flatMap { Problem($0) })
            #expect(problem.status == .serviceUnavailable && problem.code == .unavailable)
            #expect(problem.detail.contains("time limit") && problem.headers[.retryAfter] != nil)
        }
    }
    #endif
}
