import Foundation
import TelemetryModels

@testable import TelemetryRelay

#if PostgreSQL
import PostgreSQLClient

/// The PostgreSQL server of the tests, whose address is in the environment. Without one, no test uses PostgreSQL.
enum TestServer {
    static let url = ProcessInfo.processInfo.environment["TELEMETRY_TEST_POSTGRESQL"]

    /// The path of the server's certificate for 127.0.0.1, which it signed itself; nil if it has none.
    static let certificate = ProcessInfo.processInfo.environment["TELEMETRY_TEST_POSTGRESQL_CERTIFICATE"]

    /// Limits the number of tests that use the server at once, and so the number of connections.
    private static let places = TestPlaces(4)

    /// Runs `body` with the address of an empty schema, which is removed afterwards.
    static func withSchema(of place: URL, _ body: (String) async throws -> Void) async throws {
        await places.take()
        do {
            let connection = try await connect()
            try await connection.run("CREATE SCHEMA \(schema(of: place))")
            do {
                try await body(address(of: place))
            } catch {
                _ = try? await connection.run("DROP SCHEMA \(schema(of: place)) CASCADE")
                throw error
            }
            try await connection.run("DROP SCHEMA \(schema(of: place)) CASCADE")
        } catch {
            await places.leave()
            throw error
        }
        await places.leave()
    }

    /// A connection for a test's own statements.
    static func connect(schemaOf place: URL? = nil) async throws -> PostgreSQLWorker {
        var session = PostgreSQLSession()
        session.applicationName = "test"
        session.connectTimeout = .seconds(60)
        return try await PostgreSQLWorker.connect(
            to: try PostgreSQLAddress(place.map(address) ?? url ?? ""), session)
    }

    private static func schema(of place: URL) -> String {
        "test_" + place.lastPathComponent.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    /// With longer time limits, because many tests run at once.
    static func address(of place: URL) -> String {
        let settings = ["search_path=\(schema(of: place))", "lock_timeout=60s", "idle_in_transaction_session_timeout=60s"]
        let options = settings.map { "-c\($0)" }.joined(separator: " ")
            .replacing("=", with: "%3D").replacing(" ", with: "%20")
        return "\(url ?? "")\(url?.contains("?") ?? false ? "&" : "?")connect_timeout=60&options=\(options)"
    }
}

extension PostgreSQLWorker {
    func run(_ sql: String) async throws { try await use { try $0.run(sql) } }

    /// The first column of the only row.
    func int(_ sql: String, _ values: [StorageValue] = []) async throws -> Int64? {
        try await use { try $0.int(sql, values) }
    }
}

/// A limited number of places.
private actor TestPlaces {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func take() async {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    }

    func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

extension StorageDriver {
    static let shared =
        TestServer.url == nil
        ? []
        : [
            StorageDriver(
                name: "PostgreSQL", isPersistent: true,
                open: { try await PostgreSQLRelayStorage(url: TestServer.address(of: $0), configuration: $1) },
                run: { place, test in try await TestServer.withSchema(of: place) { _ in try await test() } }),
            StorageDriver(
                name: "PostgreSQL, merging", isPersistent: false,
                open: {
                    try AlteredStorage.merging(
                        try await PostgreSQLRelayStorage(url: TestServer.address(of: $0), configuration: $1))
                }, run: { place, test in try await TestServer.withSchema(of: place) { _ in try await test() } }),
        ]
}
#else
extension StorageDriver {
    static let shared: [StorageDriver] = []
}
#endif
