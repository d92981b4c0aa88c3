#if PostgreSQL
import Foundation
@testable import PostgreSQLClient
import Testing

@testable import TelemetryRelay

/// Where a connection goes, whether it is encrypted, and how long a caller waits for one.
@Suite(.enabled(if: TestServer.url != nil))
struct PostgreSQLConnectionTests {
    private static func connect(_ url: String) async throws -> PostgreSQLWorker {
        var session = PostgreSQLSession()
        session.connectTimeout = .seconds(60)
        return try await PostgreSQLWorker.connect(to: try PostgreSQLAddress(url), session)
    }

    /// The server's address with these hosts before it, and these parameters.
    private static func address(_ parameters: [String: String] = [:], behind hosts: [String] = []) throws -> String {
        var components = try #require(TestServer.url.flatMap(URLComponents.init))
        components.queryItems = (components.queryItems ?? []) + parameters.map { URLQueryItem(name: $0.key, value: $0.value) }
        let host = "\(try #require(components.host)):\(try #require(components.port))"
        return try #require(components.string).replacing(host, with: (hosts + [host]).joined(separator: ","))
    }

    @Test("Without a free connection of a pool, a caller gets an error after the time limit")
    func exhausted() async throws {
        var session = PostgreSQLSession()
        session.connectTimeout = .seconds(60)
        let pool = PostgreSQLPool(try PostgreSQLAddress(try #require(TestServer.url)), session, maximum: 1)
        let end = DispatchSemaphore(value: 0)
        let (begin, begun) = AsyncStream.makeStream(of: Void.self)
        async let use: Void = pool.withConnection { _ in
            begun.yield()
            end.wait()
        }
        for await _ in begin { break }
        session.connectTimeout = .milliseconds(1)
        pool.use(session)
        let error = await #expect(throws: PostgreSQLError.self) { try await pool.withConnection { _ in } }
        #expect(error?.code == .exhausted && error.map { RelayStorageError($0) } == .busy)
        end.signal()
        try await use
        pool.close()
    }

    @Test(
        "Statements that wait run in order with the next one; if one fails, none after it runs, and the connection can be used on"
    )
    func waiting() async throws {
        let worker = try await TestServer.connect()
        try await worker.use { connection in
            func insert(_ number: Int) -> PostgreSQLStatement { .init("INSERT INTO numbers VALUES ($1)", [.int(Int64(number))]) }
            try connection.run("CREATE TEMPORARY TABLE numbers (number bigint PRIMARY KEY)")
            try connection.run("BEGIN")
            // More different statements than are prepared, and then more statements than wait at once.
            for number in 1...250 {
                try connection.enqueue(insert(number))
                #expect(try connection.int("SELECT COUNT(*), \(number) FROM numbers") == Int64(number))
            }
            for number in 251...500 { try connection.enqueue(insert(number)) }
            #expect(try connection.execute("DELETE FROM numbers WHERE number > $1", [StorageValue.int(400)]) == 100)
            try connection.execute("COMMIT")
            try connection.run("BEGIN")
            for number in [1001, 1, 1002] { try connection.enqueue(insert(number)) }
            let error = #expect(throws: PostgreSQLError.self) {
                try connection.rows([insert(1003), PostgreSQLStatement("SELECT 1", [])])
            }
            #expect(error?.state == "23505")
            try connection.enqueue(insert(1004))
            try connection.rollBack()
            #expect(try connection.int("SELECT MAX(number) FROM numbers") == 400)
        }
        #expect(await worker.isUsable)
    }

    @Test("A connection that ends in the middle of statements is an error, and not used again")
    func ended() async throws {
        let worker = try await TestServer.connect()
        let error = await #expect(throws: PostgreSQLError.self) {
            try await worker.use { connection in
                let statements = ["1", "pg_terminate_backend(pg_backend_pid())", "2", "3"]
                return try connection.rows(statements.map { PostgreSQLStatement("SELECT \($0)", []) }).count
            }
        }
        #expect(error?.endsConnection == true)
        #expect(await !worker.isUsable)
    }

    @Test("Hosts that are away are passed over")
    func hosts() async throws {
        let connection = try await Self.connect(Self.address(behind: ["127.0.0.1:1", "127.0.0.1:2"]))
        #expect(try await connection.int("SELECT true") == 1)
    }

    @Test("A server that cannot be written to is passed over, as a standby is after a fail-over")
    func standby() async throws {
        let readOnly = try Self.address(["options": "-cdefault_transaction_read_only=on"])
        await #expect(throws: PostgreSQLError.self) { try await Self.connect(readOnly) }
    }

    @Test("With TLS the server's certificate and name are checked", .enabled(if: TestServer.certificate != nil))
    func encryption() async throws {
        let certificate = try #require(TestServer.certificate)
        let parameters = ["sslmode": "verify-full", "sslrootcert": certificate]
        let connection = try await Self.connect(Self.address(parameters))
        #expect(try await connection.int("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") == 1)
        // The certificate is for the address only, and not for this name.
        let renamed = try Self.address(parameters).replacing("@127.0.0.1:", with: "@localhost:")
        #expect(renamed.contains("@localhost:"))
        await #expect(throws: PostgreSQLError.self) { try await Self.connect(renamed) }
        // The public authorities of this machine did not sign it.
        await #expect(throws: PostgreSQLError.self) {
            try await Self.connect(Self.address(parameters.merging(["sslrootcert": "/dev/null"]) { $1 }))
        }
    }
}
#endif
