import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

@testable import TelemetryRelay

/// A relay with an in-memory store for a test.
struct RelayBench: Sendable {
    struct Answer: Sendable {
        let status: HTTPResponse.Status
        let headers: HTTPFields
        let text: String

        /// The response's object; empty if it is not an object.
        var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]) ?? [:]
        }

        subscript(name: String) -> Any? { object[name] }
        var code: String? { object["code"] as? String }
        var list: [[String: Any]] { object["events"] as? [[String: Any]] ?? [] }
        var records: [[String: Any]] { object["records"] as? [[String: Any]] ?? [] }
    }

    let client: any TestClientProtocol
    let storage: any RelayStorage

    /// - Parameter uptime: A time that by default stands still, so that rates do not depend on the machine.
    static func run(
        _ kind: TestingSetup = .router, configuration: RelayConfiguration = .init(),
        clock: any Clock<Duration> = ContinuousClock(),
        uptime: @escaping @Sendable () -> Duration = { .zero },
        _ test: @escaping @Sendable (RelayBench) async throws -> Void
    ) async throws {
        var configuration = configuration
        configuration.port = 0
        let storage = try SQLiteRelayStorage(inMemory: .init())
        let application = try Relay.application(
            configuration: configuration, storage: storage, clock: clock, uptime: uptime, logger: Bench.logger())
        try await application.testInTurn(kind) { try await test(RelayBench(client: $0, storage: storage)) }
        // A test may have closed it.
        try? await storage.close()
    }

    /// Expects that a relay without tokens refuses to read a path.
    static func refuses(_ path: String, _ status: HTTPResponse.Status, _ code: String) async throws {
        try await run { relay async throws -> Void in
            let answer = try await relay.get(path)
            #expect(answer.status == status)
            #expect(answer.code == code)
        }
    }

    /// Creates a token with a role.
    func token(_ role: RelayRole, name: String? = nil, lifetime: TokenLifetime? = nil) async throws -> String {
        try await RelayTokens(storage: storage.tokens).create(role: role, name: name ?? "\(role)-\(UUID())", lifetime: lifetime)
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, as caller: TestCaller = .nobody,
        headers: HTTPFields = [:]
    ) async throws -> Answer {
        var fields = caller.headers
        if body != nil { fields[.contentType] = "application/json" }
        for field in headers { fields[field.name] = field.value }
        return try await client.execute(uri: path, method: method, headers: fields, body: body.map { ByteBuffer(string: $0) }) {
            Answer(status: $0.status, headers: $0.headers, text: String(buffer: $0.body))
        }
    }

    func get(_ path: String, as caller: TestCaller = .nobody) async throws -> Answer { try await send(.get, path, as: caller) }

    func post(_ path: String, _ body: String, as caller: TestCaller = .nobody) async throws -> Answer {
        try await send(.post, path, body, as: caller)
    }
}

/// The credentials of a request in a test.
struct TestCaller: Sendable {
    var token: String?
    var clients: [String] = []
    var key = "a"

    static let nobody = TestCaller()

    static func bearing(_ token: String) -> Self { Self(token: token) }
    static func host(_ client: String, token: String? = nil, key: String = "a") -> Self {
        Self(token: token, clients: [client], key: key)
    }

    var headers: HTTPFields {
        var headers: HTTPFields = [:]
        if let token { headers[.authorization] = "Bearer \(token)" }
        if !clients.isEmpty {
            headers[.telemetryClient] = clients.joined(separator: ", ")
            headers[.telemetryClientKey] = clients.map { _ in String(repeating: key, count: 64) }.joined(separator: ",")
        }
        return headers
    }
}

extension HTTPField.Name {
    static let telemetryClient = Self("Telemetry-Client") ?? .accept
    static let telemetryClientKey = Self("Telemetry-Client-Key") ?? .accept
    static let fetchSite = Self("Sec-Fetch-Site") ?? .accept
    static let lastEventID = Self("Last-Event-ID") ?? .accept
}

/// Sample request bodies.
enum WireSample {
    static func event(_ id: String, client: String? = "a", more: String = "") -> String {
        let client = client.map { #","clientid":"\#($0)""# } ?? ""
        return #"{"eventId":"\#(id)","eventName":"n","eventTimestamp":"2026-11-21T08:00:00Z","sessionId":"s"\#(client)\#(more)}"#
    }

    static func batch(_ events: String...) -> String { #"{"events":[\#(events.joined(separator: ","))]}"# }

    static func record(
        _ name: String, type: String = "TelemetryScenario", client: String? = "a", tag: String? = nil, more: String = ""
    ) -> String {
        let client = client.map { #""clientid":"\#($0)""# } ?? #""x":1"#
        let tag = tag.map { #","changeTag":"\#($0)""# } ?? ""
        return #"{"recordType":"\#(type)","recordName":"\#(name)"\#(tag),"fields":{\#(client)\#(more)}}"#
    }

    static func save(_ policy: String = "insert", _ records: String...) -> String {
        #"{"policy":"\#(policy)","records":[\#(records.joined(separator: ","))]}"#
    }
}
