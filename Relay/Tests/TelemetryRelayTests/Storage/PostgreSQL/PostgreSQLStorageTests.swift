#if PostgreSQL
import Foundation
import PostgreSQLClient
import TelemetryModels
import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// Lost connections, late commits and several relays.
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
        try await TestServer.connect().execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE $1::text || '%'",
            [.text(storage.database.store.applicationName)])
    }

    @Test("An event of a transaction that commits late is read once, after the cursor of every earlier page")
    func lateCommit() async throws {
        try await Self.open { bench, storage in
            _ = try await storage.append(Sample.events(1...1))
            let first = try await storage.page(after: nil)
            let late = try await TestServer.connect(schemaOf: bench.place, name: storage.database.store.applicationName)
            try await late.run("BEGIN")
            try await late.execute(
                """
                INSERT INTO event SELECT ((pg_current_xact_id()::text::bigint + $1::bigint) << 20) + 1, received, 0, 0, 0,
                    gen_random_uuid(), client, session, name, scenario, convert_to('late', 'UTF8')
                FROM event
                """, [.int64(storage.database.store.transactionOffset)])
            _ = try await storage.append(Sample.events(2...2))
            let during = try await storage.page(after: first.cursor)
            #expect(during.events.isEmpty && during.cursor == first.cursor)
            #expect(try await storage.latestEventCursor() == first.cursor)
            #expect(try await storage.countEvents(matching: .all) == 2)
            // The hint of the readable event follows the late commit.
            var hints = storage.eventHints(of: ["c"]).makeAsyncIterator()
            try await late.run("COMMIT")
            #expect(await hints.next() != nil)
            #expect(try await storage.page(after: during.cursor).events.map(\.json) == ["late", "2"])
            #expect(try await storage.texts() == ["1", "late", "2"])
        }
    }

    @Test("A transaction of another program does not delay readers")
    func otherTransactions() async throws {
        try await Self.open { bench, storage in
            let other = try await TestServer.connect(schemaOf: bench.place)
            try await other.run("BEGIN; SELECT pg_current_xact_id()")
            _ = try await storage.append(Sample.events(1...2))
            #expect(try await storage.texts() == ["1", "2"])
        }
    }

    @Test("Ten relays that start together create one store")
    func openers() async throws {
        try await Self.run { bench in
            let stores = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        try await bench.open { storage in
                            _ = try await storage.append([Sample.event(number)])
                            return try #require(storage as? PostgreSQLRelayStorage).database.store.identifier
                        }
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(stores.count == 1)
            let count = try await bench.open { try await $0.countEvents(matching: .all) }
            #expect(count == 10)
        }
    }

    @Test("Lost connections are replaced, and nothing is stored twice")
    func lostConnections() async throws {
        try await Self.open { _, storage in
            for round in 1...5 {
                _ = try await storage.append(Sample.events(1...round))
                try await Self.cut(storage)
                #expect(try await storage.texts().count == round)
                try await Self.cut(storage)
            }
            #expect(try await storage.append(Sample.events(1...6)) == .init(stored: 1, duplicates: 5))
        }
    }

    @Test("A connection that ends during a write makes it unavailable; the repeated write is stored")
    func cutWrite() async throws {
        try await Self.open { bench, storage in
            // Holds the lock that the save waits for.
            let holder = try await TestServer.connect(schemaOf: bench.place)
            try await holder.run("BEGIN; SELECT * FROM relay_state FOR UPDATE")
            let record = RelayRecord(TelemetryRecord(recordType: "T", recordID: .init(recordName: "r")))
            let save = Task { try await storage.save([record], policy: .insert) }
            let watcher = try await TestServer.connect()
            let name = PostgreSQLValue.text(storage.database.store.applicationName)
            let waiting =
                "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE $1::text || '%' AND wait_event_type = 'Lock'"
            while try await watcher.execute(waiting, [name]).row.int(0) == 0 { await Task.yield() }
            try await Self.cut(storage)
            let error = await #expect(throws: RelayStorageError.self) { try await save.value }
            guard case .unavailable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            try await holder.run("ROLLBACK")
            #expect(try await storage.save([record], policy: .insert).saved.count == 1)
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

    @Test("A database from a later version is refused")
    func newer() async throws {
        try await Self.run { bench in
            try await bench.open { _ in }
            try await TestServer.connect(schemaOf: bench.place).run("INSERT INTO relay_migration VALUES (99)")
            await #expect(throws: RelayStorageError.newerVersion) { try await bench.open { _ in } }
        }
    }

    @Test("A server of an earlier version than the relay needs is refused")
    func oldServer() async throws {
        let connection = try await TestServer.connect()
        try await PostgreSQLSchema.check(connection)
        await #expect(throws: RelayStorageError.self) { try await PostgreSQLSchema.check(connection, minimum: 990_000) }
    }

    @Test("Events are numbered on after a dump is restored on a server with earlier transactions")
    func restored() async throws {
        try await Self.run { bench in
            let cursor = try await bench.open { storage in
                _ = try await storage.append(Sample.events(1...2))
                return try await storage.latestEventCursor()
            }
            // As if the events came from a server with a billion transactions more.
            let shift = Int64(1_000_000_000) << PostgreSQLStore.ordinalBits
            try await TestServer.connect(schemaOf: bench.place).execute(
                "UPDATE event SET number = number + $1::bigint", [.int64(shift)])
            let parts = cursor.rawValue.split(separator: "-")
            let moved = RelayEventCursor(rawValue: "\(parts[0])-\((Int64(parts[1]) ?? 0) + shift)")
            try await bench.open { storage in
                _ = try await storage.append(Sample.events(1...3))
                #expect(try await storage.page(after: moved).events.map(\.json) == ["3"])
                #expect(try await storage.texts() == ["1", "2", "3"])
            }
        }
    }

    // The limit includes the wait for a place at the server.
    @Test("Changes by another relay yield hints without waiting for an interval", .timeLimit(.minutes(10)))
    func notifications() async throws {
        try await Self.open { bench, storage in
            try await bench.open { other in
                try await storage.whileRunning {
                    var events = storage.eventHints(of: ["a"]).makeAsyncIterator()
                    var records = storage.recordHints(of: ["a"]).makeAsyncIterator()
                    var tokens = storage.tokenHints().makeAsyncIterator()
                    // The first hints follow the beginning of listening. The manual clock stands still.
                    for turn in 0...2 {
                        if turn > 0 {
                            _ = try await other.append([Sample.event(turn, client: "a")])
                            var record = TelemetryRecord(recordType: "T", recordID: .init(recordName: "r\(turn)"))
                            record["clientid"] = "a"
                            _ = try await other.save([RelayRecord(record)], policy: .insert)
                            try await other.createToken(
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
            let read = Task { try await storage.database.read { try await $0.execute("SELECT pg_sleep(600)") } }
            let watcher = try await TestServer.connect()
            let name = PostgreSQLValue.text(storage.database.store.applicationName)
            let sleeping =
                "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE $1::text || '%' AND wait_event = 'PgSleep'"
            while try await watcher.execute(sleeping, [name]).row.int(0) == 0 { await Task.yield() }
            read.cancel()
            await #expect(throws: CancellationError.self) { try await read.value }
            while try await watcher.execute(sleeping, [name]).row.int(0) > 0 { await Task.yield() }
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
                let gate = TokenGate(storage: other, configured: nil, now: { bench.time.now }, uptime: { time.uptime })
                let tokens = RelayTokens(storage: storage, now: { bench.time.now })
                let text = try await tokens.create(role: .viewer, name: "t")
                #expect(try await gate.caller(withToken: text)?.tokenName == "t")
                try await tokens.revoke("t")
                time.pass(0.3)
                #expect(try await gate.caller(withToken: text) == nil)
            }
        }
    }
}
#endif
