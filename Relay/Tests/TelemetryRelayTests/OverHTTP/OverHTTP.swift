import Foundation
import Hummingbird
import HummingbirdTesting
import TelemetryHTTP
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

@testable import TelemetryRelay

/// The library's transport over relays that listen on a port.
///
/// Serialized, because on Linux requests on new connections occupy threads of URLSession, and parallel tests would slow each
/// other down.
@Suite(.serialized)
struct OverHTTP {}

/// The relays that serve a store.
enum ServedStore: CaseIterable, Sendable {
    case memory
    /// Two relays serve one file; the second connection goes to the second.
    case sqlite
    #if PostgreSQL
    /// Two relays serve one database; the second connection goes to the second.
    case postgreSQL
    #endif

    static var allCases: [ServedStore] {
        #if PostgreSQL
        if TestServer.url != nil { return [.memory, .sqlite, .postgreSQL] }
        #endif
        return [.memory, .sqlite]
    }

    /// Runs `body` with relays over an empty store.
    func serve<Result: Sendable>(_ body: @escaping @Sendable (ServedRelays) async throws -> Result) async throws -> Result {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "relay.sqlite")
            switch self {
            case .memory: return try await Self.relay(try SQLiteRelayStorage(inMemory: .init())) { try await body(.init([$0])) }
            case .sqlite: return try await Self.two({ try SQLiteRelayStorage(file: file, configuration: .init()) }, body)
            #if PostgreSQL
            case .postgreSQL:
                var result: Result?
                try await TestServer.withSchema(of: directory) { url in
                    result = try await Self.two({ try await PostgreSQLRelayStorage(url: url) }, body)
                }
                return try #require(result)
            #endif
            }
        }
    }

    private static func two<Result: Sendable>(
        _ storage: @escaping @Sendable () async throws -> any RelayStorage,
        _ body: @escaping @Sendable (ServedRelays) async throws -> Result
    ) async throws -> Result {
        try await relay(try await storage()) { first in
            try await relay(try await storage()) { second in try await body(.init([first, second])) }
        }
    }

    private static func relay<Result: Sendable>(
        _ storage: any RelayStorage, _ body: @escaping @Sendable (ServedRelays.Relay) async throws -> Result
    ) async throws -> Result {
        var configuration = RelayConfiguration()
        configuration.port = 0
        let application = try Relay.application(
            configuration: configuration, storage: storage,
            logger: Bench.logger())
        let result = try await application.testInTurn(.live) { client in
            try await body(.init(port: try #require(client.port), storage: storage))
        }
        try? await storage.close()
        return result
    }
}

/// Local relays over one store.
struct ServedRelays: Sendable {
    struct Relay: Sendable {
        let port: Int
        let storage: any RelayStorage
    }

    let all: [Relay]

    init(_ all: [Relay]) { self.all = all }

    func url(_ relay: Int = 0) throws -> URL { try #require(URL(string: "http://127.0.0.1:\(all[relay].port)")) }

    /// Creates a token with a role.
    func token(_ role: RelayRole) async throws -> String {
        try await RelayTokens(storage: all[0].storage.tokens).create(role: role, name: "\(role)-\(UUID())", lifetime: nil)
    }

    /// A transport to the first relay.
    func transport(_ credentials: TelemetryRelayCredentials) throws -> HTTPTelemetryTransport {
        HTTPTelemetryTransport(url: try url(), credentials: credentials)
    }

    /// A store for a check of the conformance suite.
    func store(
        _ credentials: TelemetryRelayCredentials, clients: [String] = []
    ) async throws -> TelemetryTransportConformance.Store {
        @Sendable func connect(_ url: URL) async -> HTTPTelemetryTransport {
            let transport = HTTPTelemetryTransport(url: url, credentials: credentials)
            for client in clients { await transport.setClientIdentifier(client) }
            return transport
        }
        let (first, last) = (try url(), try url(all.count - 1))
        return .init(transport: await connect(first), connectAgain: { await connect(last) })
    }
}
