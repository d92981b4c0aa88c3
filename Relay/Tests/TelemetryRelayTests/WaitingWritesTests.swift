import Foundation
import HTTPTypes
import HummingbirdTesting
import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// What writes that wait for the storage may use.
struct WaitingWritesTests {
    private static func host(_ client: String) -> RelayCaller {
        RelayCaller(credential: .token(Data()), tokenName: "app", role: .host, clients: [client])
    }

    private static let viewer = RelayCaller(credential: .configured, tokenName: nil, role: .viewer)

    /// Runs `body` while the callers' writes of a size wait.
    private static func during(
        _ callers: [RelayCaller], _ bytes: Int, in writes: WaitingWrites, _ body: () async throws -> Void
    ) async throws {
        guard let caller = callers.first else { return try await body() }
        try await writes.run(bytes, for: caller) { try await during(Array(callers.dropFirst()), bytes, in: writes, body) }
    }

    private static func refuses(_ caller: RelayCaller, _ bytes: Int, _ writes: WaitingWrites) async -> Bool {
        do {
            try await writes.run(bytes, for: caller) {}
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
        let (writes, unit) = (WaitingWrites(limit: 8 << 20), 1 << 20)
        try await Self.during([Self.host("1")], unit, in: writes) {
            #expect(await Self.refuses(Self.host("1"), 1, writes))
            try await Self.during((2...6).map { Self.host("\($0)") }, unit, in: writes) {
                #expect(await Self.refuses(Self.host("7"), 1, writes))
                try await Self.during([Self.viewer], 2 * unit, in: writes) {
                    #expect(await Self.refuses(Self.viewer, 1, writes))
                    #expect(writes.count == 7 && writes.bytes == 8 << 20)
                }
            }
        }
        #expect(writes.count == 0 && writes.bytes == 0)
        #expect(await !Self.refuses(Self.host("1"), unit, writes))
    }

    @Test("Small writes are limited in number, and a write above its share waits alone")
    func sizes() async throws {
        let writes = WaitingWrites(limit: 1 << 20)
        // An eighth has eight writes of 16 KiB.
        try await Self.during(Array(repeating: Self.host("a"), count: 8), 0, in: writes) {
            #expect(await Self.refuses(Self.host("a"), 0, writes))
        }
        try await Self.during([Self.host("a")], 5 << 20, in: writes) {
            #expect(await Self.refuses(Self.host("a"), 0, writes))
            #expect(await Self.refuses(Self.viewer, 0, writes))
        }
        #expect(writes.bytes == 0)
    }

    enum Write: CaseIterable {
        case deletion
        /// Ten events that take a long text from their context.
        case batch

        var path: String { self == .deletion ? "/v1/records/delete" : "/v1/events" }

        var body: String {
            guard self == .batch else { return #"{"recordNames":["\#(String(repeating: "x", count: 600_000))"]}"# }
            let events = (0..<10).map { WireSample.event("\($0)") }.joined(separator: ",")
            return #"{"context":{"property1":"\#(String(repeating: "x", count: 60_000))"},"events":[\#(events)]}"#
        }
    }

    @Test("A write counts as what its body expands to, until it is stored", arguments: Write.allCases)
    func expansion(write: Write) async throws {
        var configuration = RelayConfiguration()
        configuration.limits.waitingBytes = 1 << 20
        // As no time passes, only the first request looks up whether there are tokens.
        try await RelayBench.run(configuration: configuration, uptime: { .zero }) { relay async throws -> Void in
            _ = try await relay.get("/v1/server")
            let database = try #require(relay.storage as? SQLiteRelayStorage).database
            let end = DispatchSemaphore(value: 0)
            database.enqueue { _ in end.wait() }
            try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group async throws -> Void in
                for _ in 1...2 { group.addTask { try await relay.post(write.path, write.body).status } }
                // The other one waits for the database.
                #expect(try await group.next() == .serviceUnavailable)
                end.signal()
                #expect(try await group.next() == .ok)
            }
            #expect(try await relay.post(write.path, write.body).status == .ok)
            let metrics = try await relay.get("/metrics").text
            #expect(metrics.contains("\nrelay_writes_waiting 0\n") && metrics.contains("\nrelay_waiting_bytes 0\n"))
        }
    }
}
