#if PostgreSQL
import Foundation
import PostgreSQLClient
import TelemetryModels
import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// Lost connections, locks and several relays.
@Suite(.enabled(if: TestServer.url != nil))
struct PostgreSQLStorageTests {
    private static func run(_ test: (StorageBench) async throws -> Void) async throws {
        let driver = try #require(StorageDriver.shared.first)
        try await StorageBench.run(driver) { try await test($0) }
    }

    private static func open(_ test: (StorageBench, PostgreSQLRelayStorage) async throws -> Void) async throws {
        try await run { bench in
            try await bench.open { try await test(bench, try #require($0 as? PostgreSQLRelayStorage)) }
        }
    }

    /// Ends all connections of a storage, and waits until they are gone.
    private static func cut(_ storage: PostgreSQLRelayStorage) async throws {
        _ = try await TestServer.connect().int(
            "SELECT COUNT(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE application_name = $1",
            [.text(storage.name)])
    }

    /// Returns once a connection of a storage is in a state.
    private static func waitForSessions(of storage: PostgreSQLRelayStorage, where condition: String) async throws {
        let watcher = try await TestServer.connect()
        let sessions = "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = $1 AND \(condition)"
        while try await watcher.int(sessions, [.text(storage.name)]) == 0 { await Task.yield() }
    }

    @Test("While a relay's transaction does not end, others cannot store events, and can read and save records")
    func otherTransaction() async throws {
        try await Self.open { bench, storage in
            _ = try await storage.events.append(Sample.events(1...1))
            let other = try await TestServer.connect(schemaOf: bench.place)
            try await other.run("BEGIN; SELECT FROM event_state FOR UPDATE")
            // More than the relay has connections.
            let appends = (2...9).map { number in
                Task { try await storage.events.append([Sample.event(1), Sample.event(number, client: "c\(number)")]) }
            }
            let deletions = (1...8).map { _ in Task { try await storage.events.delete(matching: .init(names: ["n"])) } }
            try await Self.waitForSessions(of: storage, where: "wait_event_type = 'Lock'")
            #expect(try await storage.texts() == ["1"])
            let record = RelayRecord(TelemetryRecord(recordType: "T", recordID: .init(recordName: "r")))
            #expect(try await storage.records.save([record], policy: .insert).saved.count == 1)
            #expect(try await storage.tokens.token(hash: Data([1])) == nil)
            try await other.run("ROLLBACK")
            for append in appends { #expect(try await append.value.stored >= 1) }
            var deleted = 0
            for deletion in deletions { deleted += try await deletion.value }
            #expect(try await storage.events.count(matching: .all) == 9 - deleted)
            try await storage.checkSums()
        }
    }

    @Test("Four relays that append, merge, delete and expire at once store each event once")
    func relays() async throws {
        try await Self.run { bench in
            let stored = try await withThrowingTaskGroup(of: Int.self) { group in
                for relay in 0..<4 {
                    group.addTask {
                        try await bench.open { storage in
                            let events = try #require(storage.tables).events
                            var stored = 0
                            for round in 0..<25 {
                                // Each batch is sent by two relays, which also have events of their own.
                                let shared = Sample.events((round * 10)...(round * 10 + 9), client: "c\(relay / 2)")
                                let own = Sample.events((round * 5)...(round * 5 + 4), client: "own \(relay)")
                                stored += try await storage.events.append(shared + own).stored
                                if round % 5 == relay { try await events.merge(after: 0) }
                                if round % 7 == relay { try await storage.expire() }
                                let gone = (0..<3).map {
                                    Sample.event(round * 3 + $0, client: "own \(relay)", session: "t", name: "gone \(relay)")
                                }
                                _ = try await storage.events.append(gone)
                                if round % 3 == relay % 3 {
                                    _ = try await storage.events.delete(matching: .init(names: ["gone \(relay)"]))
                                }
                            }
                            _ = try await storage.events.delete(matching: .init(names: ["gone \(relay)"]))
                            return stored
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(stored == 2 * 250 + 4 * 125)
            try await bench.open { storage in
                for relay in 0..<4 {
                    #expect(try await storage.texts(.init(clients: ["own \(relay)"])) == (0..<125).map(String.init))
                }
                for client in ["c0", "c1"] {
                    #expect(Set(try await storage.texts(.init(clients: [client]))) == Set((0..<250).map(String.init)))
                }
                #expect(try await storage.events.count(matching: .all) == 1000)
                try await storage.checkSums()
            }
        }
    }

    @Test("Ten relays that start together create one store")
    func openers() async throws {
        try await Self.run { bench in
            let stores = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        try await bench.open { storage in
                            _ = try await storage.events.append([Sample.event(number)])
                            return try #require(storage as? PostgreSQLRelayStorage).name
                        }
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(stores.count == 1)
            let count = try await bench.open { try await $0.events.count(matching: .all) }
            #expect(count == 10)
        }
    }

    @Test("Relays start together and store events if transactions are serializable by default")
    func isolation() async throws {
        try await Self.run { bench in
            let url = TestServer.address(of: bench.place).replacing(
                "options=", with: "options=-cdefault_transaction_isolation%3Dserializable%20")
            let stores = try await withThrowingTaskGroup(of: String.self) { group in
                for relay in 0..<4 {
                    group.addTask {
                        let storage = try await PostgreSQLRelayStorage(url: url)
                        for number in 0..<10 {
                            _ = try await storage.events.append([Sample.event(number), Sample.event(number, client: "c\(relay)")])
                        }
                        try await storage.close()
                        return storage.name
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(stores.count == 1)
            try await bench.open { storage in
                #expect(try await storage.events.count(matching: .all) == 50)
                try await storage.checkSums()
            }
        }
    }

    @Test("One relay maintains the store, until it ends or does not say so any more")
    func maintainer() async throws {
        try await Self.open { bench, storage in
            try await bench.open { other in
                let other = try #require(other as? PostgreSQLRelayStorage).database
                for _ in 1...2 {
                    #expect(try await storage.database.isMaintainer())
                    #expect(try await !other.isMaintainer())
                }
                try await TestServer.connect(schemaOf: bench.place).run(
                    "UPDATE relay_maintainer SET until = now() - interval '1 s'")
                #expect(try await other.isMaintainer())
                #expect(try await !storage.database.isMaintainer())
            }
            #expect(try await storage.database.isMaintainer())
        }
    }

    @Test("Lost connections are replaced, and nothing is stored twice")
    func lostConnections() async throws {
        try await Self.open { _, storage in
            for round in 1...5 {
                _ = try await storage.events.append(Sample.events(1...round))
                try await Self.cut(storage)
                #expect(try await storage.texts().count == round)
                try await Self.cut(storage)
            }
            #expect(try await storage.events.append(Sample.events(1...6)) == .init(stored: 1, duplicates: 5))
        }
    }

    @Test("A connection that ends during a write makes it unavailable; the repeated write is stored")
    func cutWrite() async throws {
        try await Self.open { bench, storage in
            // Holds the lock that the save waits for.
            let holder = try await TestServer.connect(schemaOf: bench.place)
            try await holder.run("BEGIN; SELECT * FROM relay_state FOR UPDATE")
            let record = RelayRecord(TelemetryRecord(recordType: "T", recordID: .init(recordName: "r")))
            let save = Task { try await storage.records.save([record], policy: .insert) }
            try await Self.waitForSessions(of: storage, where: "wait_event_type = 'Lock'")
            try await Self.cut(storage)
            let error = await #expect(throws: RelayStorageError.self) { try await save.value }
            guard case .unavailable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            try await holder.run("ROLLBACK")
            #expect(try await storage.records.save([record], policy: .insert).saved.count == 1)
        }
    }

    @Test("A server that is away, and a malformed address, are errors without the password", .timeLimit(.minutes(10)))
    func away() async throws {
        for url in ["postgresql://me:secret@127.0.0.1:1/db", "postgresql://me:sec%zzret@host/db"] {
            let error = await #expect(throws: RelayStorageError.self) { try await PostgreSQLRelayStorage(url: url) }
            guard case .unavailable(let reason) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(!reason.contains("sec"))
        }
    }

    @Test(
        "A database from a later or an earlier version is refused",
        arguments: [(99, RelayStorageError.newerVersion), (7, .olderVersion)])
    func otherVersion(number: Int, error: RelayStorageError) async throws {
        try await Self.run { bench in
            let connection = try await TestServer.connect(schemaOf: bench.place)
            try await connection.run(
                "CREATE TABLE relay_migration (number integer PRIMARY KEY); INSERT INTO relay_migration VALUES (\(number))")
            await #expect(throws: error) { try await bench.open { _ in } }
        }
    }

    @Test("A server of an earlier version than the relay needs is refused")
    func oldServer() async throws {
        let connection = try await TestServer.connect()
        try await connection.use { try PostgreSQLSchema.check($0) }
        await #expect(throws: RelayStorageError.self) {
            try await connection.use { try PostgreSQLSchema.check($0, minimum: 990_000) }
        }
    }

    // The limit includes the wait for a place at the server.
    @Test("Changes by another relay yield hints without waiting for an interval", .timeLimit(.minutes(10)))
    func notifications() async throws {
        try await Self.open { bench, storage in
            try await bench.open { other in
                try await storage.whileRunning {
                    var events = storage.events.hints(of: ["a"]).makeAsyncIterator()
                    var records = storage.records.hints(of: ["a"]).makeAsyncIterator()
                    var tokens = storage.tokens.hints().makeAsyncIterator()
                    // The first hints follow the beginning of listening. The manual clock stands still.
                    for turn in 0...2 {
                        if turn > 0 {
                            _ = try await other.events.append([Sample.event(turn, client: "a")])
                            var record = TelemetryRecord(recordType: "T", recordID: .init(recordName: "r\(turn)"))
                            record["clientid"] = "a"
                            _ = try await other.records.save([RelayRecord(record)], policy: .insert)
                            try await other.tokens.create(
                                .init(name: "t\(turn)", role: .host, created: bench.time.now), hash: Data([UInt8(turn)]))
                        }
                        #expect(await events.next() != nil)
                        #expect(await records.next() != nil)
                        #expect(await tokens.next() != nil)
                    }
                    #expect(try await storage.texts() == ["1", "2"])
                }
            }
        }
    }

    @Test("A cancelled read ends its statement, and the storage can be used on")
    func cancellation() async throws {
        try await Self.open { _, storage in
            let read = Task { try await storage.database.read { try $0.rows("SELECT pg_sleep(600)") } }
            try await Self.waitForSessions(of: storage, where: "wait_event = 'PgSleep'")
            read.cancel()
            await #expect(throws: CancellationError.self) { try await read.value }
            // The server's session ends, too.
            let watcher = try await TestServer.connect()
            let sleeping = "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = $1 AND wait_event = 'PgSleep'"
            while try await watcher.int(sleeping, [.text(storage.name)]) ?? 0 > 0 { await Task.yield() }
            try await storage.check()
        }
    }

    @Test("The use of a rate limit over one relay counts at the others")
    func rates() async throws {
        try await Self.open { bench, storage in
            try await bench.open { other in
                let limiters = (0..<2).map { _ in
                    RateLimiter<RelayRateSource>(perMinute: 60, burst: 10, isShared: true, uptime: { .zero })
                }
                let exchanges = try zip([storage.sharedRates, other.sharedRates], limiters).map { rates, limiter in
                    RateExchange(storage: try #require(rates), limiters: [.client: limiter], logger: Bench.logger())
                }
                for exchange in exchanges { await exchange.exchange() }
                let source = RelayRateSource(.client, "c")
                #expect(limiters[0].take(7, from: source) == nil)
                for exchange in exchanges { await exchange.exchange() }
                #expect(limiters[1].take(4, from: source) != nil)
                #expect(limiters[1].take(3, from: source) == nil)
                for exchange in exchanges.reversed() { await exchange.exchange() }
                #expect(limiters[0].take(from: source) != nil)
                #expect(limiters[0].take(from: RelayRateSource(.client, "d")) == nil)
            }
        }
    }

    @Test("A token that one relay revokes is invalid at another one")
    func revocation() async throws {
        try await Self.open { bench, storage in
            try await bench.open { other in
                let time = TestTime()
                let gate = TokenGate(storage: other.tokens, configured: nil, now: { bench.time.now }, uptime: { time.uptime })
                let tokens = RelayTokens(storage: storage.tokens, now: { bench.time.now })
                let text = try await tokens.create(role: .viewer, name: "t")
                func isValid() async throws -> Bool {
                    if case .valid? = try await gate.caller(withToken: text) { true } else { false }
                }
                #expect(try await isValid())
                try await tokens.revoke("t")
                time.pass(0.3)
                #expect(try await !isValid())
            }
        }
    }
}
#endif
