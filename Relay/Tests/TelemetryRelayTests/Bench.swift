import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

/// The storage that a test uses.
enum StorageKind: CaseIterable, Sendable {
    case memory, sqlite
    #if PostgreSQL
    case postgreSQL
    #endif

    static var allCases: [StorageKind] {
        #if PostgreSQL
        if TestServer.url != nil { return [.memory, .sqlite, .postgreSQL] }
        #endif
        return [.memory, .sqlite]
    }
}

/// Runs a relay without a socket, over a temporary storage.
struct Bench {
    struct Found: Decodable {
        let entries: [DebugLog]
        let cursor: String
        let hasMore: Bool
        let newest: String

        enum CodingKeys: String, CodingKey {
            case entries, cursor
            case hasMore = "has_more"
            case newest
        }
    }

    static func logger() -> Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }

    static func storage<Result>(
        _ kind: StorageKind, retention: DebugLogRetention = .init(), metrics: RelayMetrics = .init(),
        time: TestTime = TestTime(), _ body: (any DebugLogStorage) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory { directory in
            switch kind {
            case .memory:
                return try await body(
                    SQLiteDebugLogStorage(
                        inMemory: retention, metrics: metrics, now: { time.now }, uptime: { time.uptime }))
            case .sqlite:
                return try await body(
                    SQLiteDebugLogStorage(
                        file: directory.appending(path: "deep/relay.sqlite"), retention: retention, metrics: metrics,
                        now: { time.now }, uptime: { time.uptime }))
            #if PostgreSQL
            case .postgreSQL:
                var result: Result?
                try await TestServer.withSchema(of: directory) { url in
                    let storage = try await PostgreSQLDebugLogStorage(
                        url: url, retention: retention, metrics: metrics, now: { time.now }, uptime: { time.uptime })
                    do {
                        result = try await body(storage)
                        await storage.close()
                    } catch {
                        await storage.close()
                        throw error
                    }
                }
                return try #require(result)
            #endif
            }
        }
    }

    static func run(
        _ storage: (any DebugLogStorage)? = nil, _ kind: TestingSetup = .router,
        configuration: RelayConfiguration = .init(), arrivals: DebugLogArrivals = .init(),
        _ test: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        var configuration = configuration
        configuration.port = 0
        let application = try Relay.application(
            configuration: configuration, storage: try storage ?? SQLiteDebugLogStorage(inMemory: .init()), arrivals: arrivals,
            logger: logger())
        try await application.test(kind) { try await test($0) }
    }

    static func entry(_ number: Int, correlationId: UUID = UUID(), payload: [String: JSONValue] = [:]) -> DebugLog {
        DebugLog(
            correlationId: correlationId, timestamp: Date(timeIntervalSince1970: Double(number)), event: "\(number)",
            payload: payload)
    }

    static func body(_ entries: [DebugLog]) throws -> String {
        String(decoding: try JSONEncoder().encode(["entries": entries]), as: UTF8.self)
    }
}

extension DebugLogStorage {
    func count() async throws -> Int { try await usage().entries }
}

extension TestClientProtocol {
    func post(_ body: String, headers: HTTPFields = [:]) async throws -> (status: HTTPResponse.Status, body: String) {
        try await post(Array(body.utf8), headers: headers)
    }

    func post(_ body: [UInt8], headers: HTTPFields = [:]) async throws -> (status: HTTPResponse.Status, body: String) {
        try await execute(uri: "/debug/logs", method: .post, headers: headers, body: ByteBuffer(bytes: body)) {
            ($0.status, String(buffer: $0.body))
        }
    }

    func get(_ uri: String, headers: HTTPFields = [:]) async throws -> (status: HTTPResponse.Status, body: String) {
        try await execute(uri: uri, method: .get, headers: headers) { ($0.status, String(buffer: $0.body)) }
    }

    func find(_ query: String) async throws -> Bench.Found {
        try JSONDecoder().decode(Bench.Found.self, from: Data(try await get("/debug/logs?\(query)").body.utf8))
    }
}
