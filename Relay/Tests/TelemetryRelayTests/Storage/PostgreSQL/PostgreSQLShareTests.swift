#if PostgreSQL
import Foundation
import HTTPTypes
import PostgreSQLClient
import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// How the connections for queries are shared, and what a query that takes too long results in.
struct PostgreSQLShareTests {
    @Test("An owner has at most its share, and a caller without an owner has no limit")
    func limit() {
        var shares = ConnectionShares(maximum: 2)
        for _ in 1...2 {
            #expect(shares.hasRoom(for: "a"))
            shares.take(for: "a")
        }
        for _ in 1...3 { shares.take(for: nil) }
        #expect([nil, "a", "b"].map { shares.hasRoom(for: $0) } == [true, false, true])
        #expect(shares.giveBack(from: "a", to: []) == nil)
        #expect(shares.hasRoom(for: "a"))
    }

    @Test("Owners that wait take turns, however many callers each of them has")
    func turns() {
        var shares = ConnectionShares(maximum: 1)
        shares.take(for: "a")
        shares.take(for: "b")
        var waiting: [String?] = ["a", "a", "a", "b", "c", "c", nil]
        var order: [String] = []
        var used: [String?] = ["a", "b"]
        while !used.isEmpty {
            let owner = used.removeFirst()
            guard let next = shares.giveBack(from: owner, to: waiting) else { continue }
            order.append(waiting[next] ?? "-")
            used.append(waiting.remove(at: next))
        }
        #expect(order == ["c", "-", "a", "b", "c", "a", "a"])
    }

    @Test("While one owner's queries fill its share, another owner's query runs", .enabled(if: TestServer.url != nil))
    func pool() async throws {
        var session = PostgreSQLSession()
        session.connectTimeout = .seconds(60)
        let address = try PostgreSQLAddress(try #require(TestServer.url))
        let pool = PostgreSQLPool(address, session, maximum: 2, share: 1)
        func query(_ owner: String) async throws {
            _ = try await pool.withConnection(for: owner) { try await $0.execute("SELECT true") }
        }
        try await pool.withConnection(for: "a") { _ in
            try await query("b")
            session.connectTimeout = .milliseconds(1)
            pool.use(session)
            let error = await #expect(throws: PostgreSQLError.self) { try await query("a") }
            #expect(error?.code == .exhausted)
            let problem = try #require(error.flatMap { Problem(RelayStorageError($0)) })
            #expect(problem.status == .serviceUnavailable && problem.detail.contains("in use"))
            session.connectTimeout = .seconds(60)
            pool.use(session)
        }
        try await query("a")
        pool.close()
    }

    @Test("A query beyond the database's time limit is unavailable, and says why", .enabled(if: TestServer.url != nil))
    func timeLimit() async throws {
        let driver = try #require(StorageDriver.shared.first)
        try await StorageBench.open(driver) { storage in
            let database = try #require(storage as? PostgreSQLRelayStorage).database
            let error = await #expect(throws: RelayStorageError.self) {
                try await database.query { connection in
                    try await connection.run("SET statement_timeout = 1")
                    try await connection.run("SELECT pg_sleep(60)")
                }
            }
            let problem = try #require(error.flatMap { Problem($0) })
            #expect(problem.status == .serviceUnavailable && problem.code == .unavailable)
            #expect(problem.detail.contains("time limit") && problem.headers[.retryAfter] != nil)
        }
    }
}
#endif
