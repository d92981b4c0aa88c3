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

    /// Runs a relay, by default over an empty storage in memory.
    static func run(
        _ storage: (any RelayStorage)? = nil, _ kind: TestingSetup = .router,
        configuration: RelayConfiguration = .init(), clock: any Clock<Duration> = ContinuousClock(),
        _ test: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        var configuration = configuration
        configuration.port = 0
        let application = try Relay.application(
            configuration: configuration, storage: try storage ?? SQLiteRelayStorage(inMemory: .init()), clock: clock,
            logger: logger())
        try await application.testInTurn(kind) { try await test($0) }
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

extension ApplicationProtocol {
    /// Tests it when it is its turn.
    func testInTurn<Value>(
        _ kind: TestingSetup, _ test: @Sendable (any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        try await TestTurns.run { try await self.test(kind, test) }
    }
}

extension RelayStorage {
    /// The names of all debug log entries, oldest first.
    func debugLogEvents() async throws -> [String] { try await debugLogs.page(of: DebugLogQuery()).entries.map(\.event) }

    func debugLogCount() async throws -> Int { try await usage().debugLogs.entries }
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
