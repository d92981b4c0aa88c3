import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import HummingbirdTesting
@_spi(Tooling) import TelemetryModels
import Testing

@testable import TelemetryRelay

struct DebugLogRoutesTests {
    @Test("A batch is stored once and returned unchanged, however often it is sent", arguments: StorageDriver.all)
    func storedOnce(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let entries = [
                Bench.entry(1, payload: ["max": .unsigned(.max), "pi": .double(3.14), "list": .array([.null, .bool(true)])]),
                Bench.entry(2),
            ]
            try await Bench.run(storage) { client in
                let first = try await client.post(try Bench.body(entries))
                #expect(first.status == .ok)
                #expect(first.body == #"{"duplicates":0,"rejected":[],"stored":2}"#)
                let again = try await client.post(try Bench.body(entries + [Bench.entry(3)]))
                #expect(again.body == #"{"duplicates":2,"rejected":[],"stored":1}"#)
                let found = try await client.find("limit=2")
                #expect(found.entries == entries)
                #expect(found.hasMore)
                #expect(found.newest == "3")
            }
            #expect(try await storage.debugLogCount() == 3)
        }
    }

    @Test("Each invalid entry is rejected with a reason, and the valid ones are stored")
    func badEntries() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        let good = String(decoding: try JSONEncoder().encode(Bench.entry(1)), as: UTF8.self)
        let bad = [
            ("{}", "timestamp is missing"),
            ("7", "the entry is not an object"), ("1e400", "the entry: a number is beyond what a double holds"),
            (
                String(repeating: "[", count: 67) + String(repeating: "]", count: 67),
                "the entry: values are nested deeper than 64"
            ),
            (good.replacing("\"info\"", with: "\"loud\""), "level: has to be one of debug, info, warn, error"),
            (good.replacing("1970-01-01T", with: "yesterday "), "timestamp: is not a date in ISO 8601, in UTC"),
            (good.replacing(#""event":"1""#, with: #""event":"""#), "event: has to have 1 to 1024 bytes"),
            (good.replacing(#""payload":{}"#, with: #""payload":[]"#), "payload is not an object"),
            (good.replacing(#""event":"1""#, with: #""event":1"#), "event is not a string"),
            (good.replacing("{}", with: #"{"n":1e400}"#), "payload.n: a number is beyond what a double holds"),
            (good.replacing("{}", with: #"{"n":{"a":[1,1e400]}}"#), "payload.n.a: a number is beyond what a double holds"),
            (good.replacing("\"info\"", with: "\"\(String(repeating: "loud", count: 1000))\""), "level: "),
        ]
        try await Bench.run(storage) { client in
            let body = #"{"entries":["# + (bad.map(\.0) + [good]).joined(separator: ",") + "]}"
            let answer = try await client.post(body)
            #expect(answer.status == .badRequest)
            let receipt = try JSONDecoder().decode(DebugLogReceipt.self, from: Data(answer.body.utf8))
            #expect(receipt.stored == 1)
            #expect(receipt.rejected.map(\.index) == Array(bad.indices))
            for (refusal, expected) in zip(receipt.rejected, bad) {
                #expect(refusal.reason.hasPrefix(expected.1))
                #expect(refusal.reason.utf8.count < 320)
            }
        }
        #expect(try await storage.debugLogCount() == 1)
    }

    @Test("A body that is not a batch is a 400", arguments: ["", "nonsense", "[]", "{}", #"{"entries":7}"#, "\u{0}"])
    func noBatch(body: String) async throws {
        try await Bench.run { client in
            let answer = try await client.post(body)
            #expect(answer.status == .badRequest)
            #expect(answer.body.hasPrefix(#"{"error":"the body is not a batch: "#))
        }
    }

    @Test("A body, an expansion or a batch above the limit is a 413; at the limit it is not")
    func limits() async throws {
        var configuration = RelayConfiguration()
        let three = try Bench.body((1...3).map { Bench.entry($0) })
        configuration.bodyLimit = three.utf8.count
        configuration.batchLimit = 3
        try await Bench.run(configuration: configuration) { client in
            #expect(try await client.post(three).status == .ok)
            #expect(try await client.post(three + " ").status == .contentTooLarge)
            let zeros = try await GzipTests.compressed([UInt8](repeating: 0x20, count: 100_000))
            #expect(try await client.post(zeros, headers: [.contentEncoding: "gzip"]).status == .contentTooLarge)
            #expect(try await client.post(#"{"entries":[1,2,3,4]}"#).status == .contentTooLarge)
        }
    }

    @Test("gzip is accepted; malformed gzip is a 400, and another encoding a 415")
    func encodings() async throws {
        try await Bench.run { client in
            let body = try await GzipTests.compressed(Array(try Bench.body([Bench.entry(1)]).utf8))
            #expect(try await client.post(body, headers: [.contentEncoding: "gzip"]).status == .ok)
            let damaged = Array(body.dropLast())
            #expect(try await client.post(damaged, headers: [.contentEncoding: "gzip"]).status == .badRequest)
            #expect(try await client.post(body, headers: [.contentEncoding: "br"]).status == .unsupportedMediaType)
        }
    }

    @Test("Each filter returns the matching entries, in both orders, page by page", arguments: StorageDriver.all)
    func filters(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let one = DebugLog(
                timestamp: Date(timeIntervalSince1970: 100), source: .ios, level: .error, event: "cart.opened",
                payload: ["note": .string("100% Sugar_free")], deviceId: UUID())
            let others = (1...5).map { Bench.entry($0) }
            _ = try await storage.debugLogs.store(others + [one])
            try await Bench.run(storage) { client in
                let filters = [
                    "source=ios", "level=error", "event=cart.opened", "correlation_id=\(one.correlationId)",
                    "correlation_id=\(one.correlationId.uuidString.lowercased())", "session_id=\(one.sessionId)",
                    "device_id=\(one.deviceId?.uuidString ?? "")", "since=1970-01-01T00:01:40Z", "text=sugar", "text=100%25",
                    "text=r_f", "text=CART.", "source=ios&level=error&order=desc",
                ]
                for filter in filters { #expect(try await client.find(filter).entries == [one], "\(filter)") }
                #expect(try await client.find("until=1970-01-01T00:01:40Z").entries == others)
                #expect(try await client.find("text=zzz").entries.isEmpty)
                #expect(try await client.find("text=sugar%25").entries.isEmpty)
                var events: [String] = []
                var cursor = ""
                while true {
                    let page = try await client.find("order=desc&limit=4" + cursor)
                    events += page.entries.map(\.event)
                    cursor = "&cursor=\(page.cursor)"
                    if !page.hasMore { break }
                }
                #expect(events == ["cart.opened", "5", "4", "3", "2", "1"])
            }
        }
    }

    @Test("A cursor at the end returns only later entries that match", arguments: StorageDriver.all)
    func following(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let correlation = UUID()
            try await Bench.run(storage) { client in
                let query = "correlation_id=\(correlation)"
                let empty = try await client.find(query)
                #expect(empty.cursor == "0")
                _ = try await storage.debugLogs.store([Bench.entry(1, correlationId: correlation), Bench.entry(2)])
                let first = try await client.find("\(query)&cursor=\(empty.cursor)")
                #expect(first.entries.map(\.event) == ["1"])
                _ = try await storage.debugLogs.store([Bench.entry(3), Bench.entry(4, correlationId: correlation)])
                #expect(try await client.find("\(query)&cursor=\(first.cursor)").entries.map(\.event) == ["4"])
            }
        }
    }

    @Test("The newest entries are kept up to the capacity, regardless of duplicates", arguments: StorageDriver.all)
    func capacity(driver: StorageDriver) async throws {
        try await StorageBench.open(driver, debugLogs: .init(entries: 3)) { storage in
            let entries = (1...5).map { Bench.entry($0) }
            _ = try await storage.debugLogs.store(entries)
            for _ in 1...5 { #expect(try await storage.debugLogs.store(Array(entries[3...])) == 0) }
            #expect(try await storage.debugLogs.page(of: DebugLogQuery()).entries == Array(entries[2...]))
        }
    }

    @Test(
        "An invalid parameter is a 400 that names it",
        arguments: [
            "limit=0", "event=a%00x", "text=%00", "limit=1001", "level=loud", "source=tv", "since=now", "cursor=x", "order=up",
            "corelation_id=1", "wait=61",
            "wait=-1",
        ])
    func badParameters(query: String) async throws {
        try await Bench.run { client in
            let answer = try await client.get("/debug/logs?\(query)")
            #expect(answer.status == .badRequest)
            #expect(answer.body.contains(query.prefix { $0 != "=" }))
        }
    }

    private struct Broken: DebugLogStorage {
        struct Failure: Error {}
        var error: any Error = Failure()
        func store(_ entries: [DebugLog]) throws -> Int { throw error }
        func page(of query: DebugLogQuery) throws -> DebugLogPage { throw error }
        func hints() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    }

    @Test("A cancelled read is not a failure of the storage")
    func cancelled() async throws {
        let storage = AlteredStorage(try SQLiteRelayStorage(inMemory: .init())) {
            $0.debugLogs = Broken(error: CancellationError())
        }
        try await Bench.run(storage) { client in
            let answer = try await client.get("/debug/logs")
            #expect(answer.status == .serviceUnavailable)
            #expect(!answer.body.contains("storage"))
        }
    }

    @Test("A storage failure is a 503 with Retry-After")
    func storageFails() async throws {
        let storage = AlteredStorage(try SQLiteRelayStorage(inMemory: .init())) { $0.debugLogs = Broken() }
        try await Bench.run(storage) { client in
            let body = try Bench.body([Bench.entry(1)])
            #expect(try await client.post(body).status == .serviceUnavailable)
            #expect(try await client.get("/debug/logs").status == .serviceUnavailable)
            #expect(try await client.get("/healthz").status == .ok)
            #expect(
                try await client.get("/metrics").body.contains(
                    #"relay_requests_total{method="POST",route="/debug/logs",status="503"} 1"#))
        }
    }

    @Test(
        "A body with a media type other than JSON is a 415; a body without one is accepted",
        arguments: [
            (nil, .ok), ("application/json", .ok), ("Application/JSON; charset=utf-8", .ok), ("application/x+json", .ok),
            ("text/plain", .unsupportedMediaType), ("application/x-www-form-urlencoded", .unsupportedMediaType),
        ] as [(String?, HTTPResponse.Status)])
    func contentTypes(type: String?, expected: HTTPResponse.Status) async throws {
        try await Bench.run { client in
            let body = try Bench.body([Bench.entry(1)])
            #expect(try await client.post(body, headers: type.map { [.contentType: $0] } ?? [:]).status == expected)
        }
    }

    @Test("With a configured token, requests without it are refused, except for health")
    func token() async throws {
        var configuration = RelayConfiguration()
        configuration.token = try BearerToken(written: "secret")
        try await Bench.run(configuration: configuration) { client async throws -> Void in
            for header in [nil, "secret", "Bearer", "Bearer Secret", "Basic secret", "Bearer secretsecret"] {
                let headers: HTTPFields = header.map { [.authorization: $0] } ?? [:]
                #expect(try await client.get("/debug/logs", headers: headers).status == .unauthorized)
                #expect(try await client.get("/metrics", headers: headers).status == .unauthorized)
                #expect(try await client.post("", headers: headers).status == .unauthorized)
            }
            #expect(try await client.get("/debug/logs", headers: [.authorization: "bearer secret"]).status == .ok)
            #expect(try await client.get("/healthz").status == .ok)
        }
    }

    @Test("Requests and entries are counted in the metrics")
    func metrics() async throws {
        try await Bench.run { client in
            _ = try await client.post(try Bench.body([Bench.entry(1), Bench.entry(2)]))
            _ = try await client.post(#"{"entries":[1]}"#)
            _ = try await client.get("/nowhere")
            let text = try await client.get("/metrics").body
            for line in [
                "relay_debug_entries_kept 2", #"relay_debug_entries_deleted_total{bound="bytes"} 0"#,
                #"relay_debug_entries_total{result="stored"} 2"#,
                #"relay_debug_entries_total{result="rejected"} 1"#,
                #"relay_requests_total{method="POST",route="/debug/logs",status="200"} 1"#,
                #"relay_requests_total{method="POST",route="/debug/logs",status="400"} 1"#,
                #"relay_request_duration_seconds_bucket{route="/debug/logs",le="+Inf"} 2"#,
            ] { #expect(text.contains(line + "\n"), "\(line)") }
        }
    }
}
