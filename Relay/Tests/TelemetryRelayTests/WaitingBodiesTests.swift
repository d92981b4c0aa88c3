import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// What bodies that wait to be decoded and for the storage may use.
struct WaitingBodiesTests {
    private static func host(_ client: String) -> RelayCaller {
        RelayCaller(credential: .token(Data()), tokenName: "app", role: .host, clients: [client])
    }

    private static let viewer = RelayCaller(credential: .configured, tokenName: nil, role: .viewer)

    /// Runs `body` while the callers' bodies of a size wait.
    private static func during(
        _ callers: [RelayCaller], _ bytes: Int, in bodies: WaitingBodies, _ body: () async throws -> Void
    ) async throws {
        guard let caller = callers.first else { return try await body() }
        try await bodies.run(bytes, for: caller) { try await during(Array(callers.dropFirst()), bytes, in: bodies, body) }
    }

    private static func refuses(_ caller: RelayCaller, _ bytes: Int, _ bodies: WaitingBodies) async -> Bool {
        do {
            try await bodies.run(bytes, for: caller) {}
            return false
        } catch {
            let problem = error as? Problem
            #expect(problem?.status == .serviceUnavailable && problem?.code == .unavailable)
            #expect(problem?.headers[.retryAfter] == "1")
            return true
        }
    }

    @Test("A client has an eighth, all hosts have three quarters, and a viewer has all that is left")
    func shares() async throws {
        let (bodies, unit) = (WaitingBodies(limit: 8 << 20, body: 1), 1 << 20)
        try await Self.during([Self.host("1")], unit, in: bodies) {
            #expect(await Self.refuses(Self.host("1"), 1, bodies))
            try await Self.during((2...6).map { Self.host("\($0)") }, unit, in: bodies) {
                #expect(await Self.refuses(Self.host("7"), 1, bodies))
                try await Self.during([Self.viewer], 2 * unit, in: bodies) {
                    #expect(await Self.refuses(Self.viewer, 1, bodies))
                    #expect(bodies.bytes == 8 << 20)
                }
            }
        }
        #expect(bodies.bytes == 0)
        #expect(await !Self.refuses(Self.host("1"), unit, bodies))
    }

    @Test("Small bodies are limited in number, and the least share is twice a body")
    func sizes() async throws {
        let bodies = WaitingBodies(limit: 1 << 20, body: 1)
        // An eighth has eight requests of 16 KiB.
        try await Self.during(Array(repeating: Self.host("a"), count: 8), 0, in: bodies) {
            #expect(await Self.refuses(Self.host("a"), 0, bodies))
        }
        let small = WaitingBodies(limit: 1, body: 1 << 20)
        try await Self.during([Self.host("a"), Self.host("a")], 1 << 20, in: small) {
            #expect(await Self.refuses(Self.viewer, 0, small))
        }
        #expect(small.bytes == 0)
    }

    enum Write: CaseIterable {
        case deletion
        /// Ten events that take a long text from their context.
        case batch
        case query

        var path: String {
            switch self {
            case .deletion: "/v1/records/delete"
            case .batch: "/v1/events"
            case .query: "/v1/records/query"
            }
        }

        var body: String {
            let text = String(repeating: "x", count: 1_040_000)
            switch self {
            case .deletion: return #"{"recordNames":["\#(text)"]}"#
            case .query: return #"{"recordType":"T","conditions":{"a":"\#(text)"}}"#
            case .batch:
                let events = (0..<10).map { WireSample.event("\($0)") }.joined(separator: ",")
                return #"{"context":{"property1":"\#(text.prefix(100_000))"},"events":[\#(events)]}"#
            }
        }
    }

    @Test("A body counts as what it expands to, until it is stored", arguments: Write.allCases)
    func expansion(write: Write) async throws {
        var configuration = RelayConfiguration()
        (configuration.limits.waitingBytes, configuration.limits.bodyBytes) = (1 << 20, 1 << 20)
        configuration.bodyLimit = 1 << 10
        // As no time passes, only the first request looks up whether there are tokens.
        try await RelayBench.run(configuration: configuration, uptime: { .zero }) { relay async throws -> Void in
            _ = try await relay.get("/v1/server")
            let database = try #require(relay.storage as? SQLiteRelayStorage).database
            let end = DispatchSemaphore(value: 0)
            database.writer.asyncWriteWithoutTransaction { _ in end.wait() }
            try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group async throws -> Void in
                for _ in 1...3 { group.addTask { try await relay.post(write.path, write.body).status } }
                // The other two wait for the database.
                #expect(try await group.next() == .serviceUnavailable)
                end.signal()
                for _ in 1...2 { #expect(try await group.next() == .ok) }
            }
            #expect(try await relay.post(write.path, write.body).status == .ok)
            let metrics = try await relay.get("/metrics").text
            #expect(metrics.contains("\nrelay_waiting_bytes 0\n"))
        }
    }
}
