#if PostgreSQL
import Foundation
import PostgreSQLClient
import Testing

@testable import TelemetryRelay

/// Where a connection goes, whether it is encrypted, and how long a caller waits for one.
@Suite(.enabled(if: TestServer.url != nil))
struct PostgreSQLConnectionTests {
    private static func connect(_ url: String) async throws -> PostgreSQLConnection {
        var session = PostgreSQLSession()
        session.connectTimeout = .seconds(60)
        return try await PostgreSQLConnection.connect(to: try PostgreSQLAddress(url), session)
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
        try await pool.withConnection { _ in
            session.connectTimeout = .milliseconds(1)
            pool.use(session)
            let error = await #expect(throws: PostgreSQLError.self) { try await pool.execute("SELECT true") }
            #expect(error?.code == .exhausted && error.map { RelayStorageError($0) } == .busy)
        }
        pool.close()
    }

    @Test("Hosts that are away are passed over")
    func hosts() async throws {
        let connection = try await Self.connect(Self.address(behind: ["127.0.0.1:1", "127.0.0.1:2"]))
        #expect(try await connection.execute("SELECT true").row.bool(0))
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
        #expect(try await connection.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").row.bool(0))
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
