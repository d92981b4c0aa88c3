import Foundation
import HTTPTypes
import HummingbirdTesting
import TelemetryDebugLogging
import Testing

@testable import TelemetryRelay

/// The library's debug logger against the relay, over a socket.
struct LibraryTests {
    private struct Found: Decodable { let entries: [DebugLogEntry] }

    private static func run(
        _ driver: StorageDriver = .memory, _ change: (inout RelayConfiguration) -> Void = { _ in },
        _ test: @escaping @Sendable (URL, any TestClientProtocol) async throws -> Void
    ) async throws {
        var configuration = RelayConfiguration()
        change(&configuration)
        let settings = configuration
        try await StorageBench.open(driver) { storage in
            try await Bench.run(storage, .live, configuration: settings) { client in
                let port = try #require(client.port)
                try await test(try #require(URL(string: "http://127.0.0.1:\(port)")), client)
            }
        }
    }

    private static func stored(_ client: any TestClientProtocol, _ headers: HTTPFields = [:]) async throws -> [DebugLogEntry] {
        let found = try await client.get("/debug/logs?limit=1000", headers: headers).body
        return try JSONDecoder().decode(Found.self, from: Data(found.utf8)).entries
    }

    @Test("The relay stores the shipper's entries unchanged, and the shipper interprets the relay's responses")
    func shipper() async throws {
        let token = try BearerToken(written: "secret")
        try await Self.run(
            .memory,
            {
                $0.token = token
                $0.batchLimit = 3
            }
        ) { url, client async throws -> Void in
            let entries = (1...3).map { DebugLogEntry(event: "\($0)", payload: ["n": 1.5], sessionId: UUID()) }
            let shipper = DebugLogShipper(baseURL: url, token: "secret")
            #expect(await shipper.ship(entries) == .stored)
            #expect(await shipper.ship(entries) == .stored)
            #expect(await shipper.ship(entries + entries) == .tooLarge)
            let nameless = DebugLogEntry(event: "", sessionId: UUID())
            #expect(await shipper.ship([entries[0], nameless]) == .refused([1: "event: has to have 1 to 1024 bytes"]))
            let cut = DebugLogEntry(event: "a\u{0}b", sessionId: UUID())
            #expect(await shipper.ship([entries[0], cut]) == .refused([1: "event: may not contain NUL"]))
            #expect(await DebugLogShipper(baseURL: url).ship(entries) == .failed("status 401"))
            #expect(try await Self.stored(client, [.authorization: "Bearer secret"]) == entries)
        }
    }

    @Test("Numbers, strings and dates are returned exactly", arguments: StorageDriver.all)
    func exact(driver: StorageDriver) async throws {
        let numbers: [DebugLogEntry.Value] = [
            .int(.max), .int(.min), .unsigned(.max), .unsigned(1 << 63), 1.0, 0.1, .double(0.1 + 0.2), 1e308, -1e308, 1e19,
            .double(.leastNonzeroMagnitude), .double(.greatestFiniteMagnitude), 123_456_789.123456789,
        ]
        let payload: [String: DebugLogEntry.Value] = [
            "numbers": .array(numbers), "zero": -0.0, "nan": .double(.nan), "infinity": .double(.infinity),
            "text": "\u{0}\u{1F600}\\\"/\u{2028}", "nothing": nil, "deep": [["a": [:]]],
        ]
        let timestamps = [1_764_000_000.123, 1_764_000_000.123456789, 0, -1.5, Date.now.timeIntervalSince1970]
        let entries = timestamps.map {
            DebugLogEntry(
                timestamp: Date(timeIntervalSince1970: $0), event: "e", payload: payload, deviceId: UUID(), sessionId: UUID())
        }
        try await Self.run(driver) { url, client async throws -> Void in
            #expect(await DebugLogShipper(baseURL: url).ship(entries) == .stored)
            let read = try await Self.stored(client)
            #expect(read.map(\.timestamp) == entries.map(\.timestamp))
            for entry in read {
                #expect(entry.payload["numbers"] == .array(numbers))
                #expect(entry.payload["nan"] == "NaN")
                #expect(entry.payload["infinity"] == "Infinity")
                for name in ["text", "nothing", "deep"] { #expect(entry.payload[name] == payload[name]) }
                guard case .double(let zero) = entry.payload["zero"] else {
                    Issue.record("the zero lost its sign")
                    continue
                }
                #expect(zero.sign == .minus)
            }
        }
    }

    @Test("A body far above the limit is reported as too large, not as a broken connection")
    func hugeBody() async throws {
        try await Self.run { url, client async throws -> Void in
            let huge = DebugLogEntry(
                event: "e", payload: ["x": .string(String(repeating: "x", count: 20 << 20))], sessionId: UUID())
            #expect(await DebugLogShipper(baseURL: url).ship([huge]) == .tooLarge)
            #expect(try await Self.stored(client).isEmpty)
        }
    }

    @Test(
        "The logger splits batches that are too large, keeps their order, and reports an invalid entry as lost")
    func logger() async throws {
        try await Self.run(.file, { $0.batchLimit = 4 }) { url, client async throws -> Void in
            let logger = DebugLogger(
                configuration: .init(interval: .seconds(3600)), shipper: DebugLogShipper(baseURL: url))
            for number in 1...10 { await logger.log(event: "\(number)") }
            await logger.flush()
            await logger.log(event: "")
            await logger.log(event: "11")
            await logger.flush()
            await logger.log(event: "12")
            await logger.flush()
            let stored = try await Self.stored(client)
            #expect(stored.map(\.event) == (1...11).map(String.init) + ["debug_log.entries_lost", "12"])
            #expect(stored[11].payload == ["count": 1])
        }
    }
}
