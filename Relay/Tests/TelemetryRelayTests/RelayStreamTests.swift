import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOEmbedded
import Synchronization
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryRelay

@Suite(.timeLimit(.minutes(10)))
struct RelayStreamTests {
    private static func batch(_ numbers: ClosedRange<Int>, client: String = "a") -> String {
        #"{"events":[\#(numbers.map { WireSample.event("\($0)", client: client) }.joined(separator: ","))]}"#
    }

    private static func number(_ event: StreamLines.Event?) -> String? {
        event?.data.flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }?["eventId"] as? String
    }

    @Test("A stream begins with new events or after a cursor; Last-Event-ID overrides after")
    func beginnings() async throws {
        try await RelayBench.run(.live) { relay async throws -> Void in
            let port = try #require(relay.client.port)
            _ = try await relay.post("/v1/events", Self.batch(1...3))
            let first = try #require(try await relay.get("/v1/events?limit=1")["cursor"] as? String)
            let second = try #require(try await relay.get("/v1/events?limit=2")["cursor"] as? String)
            try await StreamLines.open(port: port, "/v1/events/stream") { stream async throws -> Void in
                #expect(stream.head.hasPrefix("HTTP/1.1 200"))
                #expect(stream.head.lowercased().contains("content-type: text/event-stream"))
                _ = try await relay.post("/v1/events", Self.batch(4...4))
                let event = try await stream.next()
                #expect(event?.name == "telemetry")
                #expect(event?.id?.isEmpty == false)
                #expect(Self.number(event) == "4")
            }
            for (path, headers, expected) in [
                ("?after=\(first)", [], "2"), ("?after=\(first)", [("Last-Event-ID", second)], "3"),
                ("?client=a", [("Last-Event-ID", second)], "3"),
            ] as [(String, [(String, String)], String)] {
                try await StreamLines.open(port: port, "/v1/events/stream\(path)", headers: headers) {
                    stream async throws -> Void in
                    #expect(Self.number(try await stream.next()) == expected)
                }
            }
        }
    }

    @Test("A stream sends every matching event in order, over many pages and as events arrive")
    func complete() async throws {
        try await RelayBench.run(.live) { relay async throws -> Void in
            let port = try #require(relay.client.port)
            _ = try await relay.post("/v1/events", Self.batch(1...450))
            _ = try await relay.post("/v1/events", Self.batch(1...10, client: "b"))
            let start = try #require(try await relay.get("/v1/events?limit=1")["cursor"] as? String)
            try await StreamLines.open(port: port, "/v1/events/stream?client=a&after=\(start)") { stream async throws -> Void in
                async let more = relay.post("/v1/events", Self.batch(451...600))
                for number in 2...600 { #expect(Self.number(try await stream.next()) == "\(number)") }
                #expect(try await more.status == .ok)
            }
        }
    }

    @Test("A host's stream has only its own events")
    func host() async throws {
        try await RelayBench.run(.live) { relay async throws -> Void in
            let port = try #require(relay.client.port)
            let headers = TestCaller.host("a").headers.map { ($0.name.rawName, $0.value) }
            try await StreamLines.open(port: port, "/v1/events/stream", headers: headers) { stream async throws -> Void in
                _ = try await relay.post("/v1/events", Self.batch(1...3, client: "b"))
                _ = try await relay.post("/v1/events", Self.batch(9...9))
                #expect(Self.number(try await stream.next()) == "9")
            }
        }
    }

    @Test("Notifications begin with ready, report matching changes, and resume")
    func notifications() async throws {
        try await RelayBench.run(.live) { relay async throws -> Void in
            let port = try #require(relay.client.port)
            let body = #"{"recordType":"TelemetryScenario","clientid":"a"}"#
            _ = try await relay.send(.put, "/v1/subscriptions/s", body)
            let last = try await StreamLines.open(port: port, "/v1/notifications") { stream in
                #expect(try await stream.next()?.name == "ready")
                let records = [WireSample.record("1", client: "b"), WireSample.record("2", type: "X"), WireSample.record("3")]
                for record in records { _ = try await relay.post("/v1/records", WireSample.save("insert", record)) }
                let event = try await stream.next()
                #expect(event?.name == "record")
                #expect(event?.data == #"{"subscriptionID":"s","recordType":"TelemetryScenario","recordName":"3"}"#)
                return event?.id
            }
            let id = try #require(last)
            _ = try await relay.post("/v1/records/delete", #"{"recordNames":["3"]}"#)
            try await StreamLines.open(port: port, "/v1/notifications", headers: [("Last-Event-ID", id)]) {
                stream async throws -> Void in
                #expect(try await stream.next()?.data?.contains(#""recordName":"3""#) == true)
            }
            try await StreamLines.open(port: port, "/v1/notifications", headers: [("Last-Event-ID", "nonsense")]) {
                stream async throws -> Void in
                #expect(try await stream.next()?.name == "ready")
            }
        }
    }

    @Test("A stream that is far behind ends when its peer is gone, though no change concerns it")
    func gone() async throws {
        struct Gone: Error {}
        struct GonePeer: ResponseBodyWriter {
            func write(_ buffer: ByteBuffer) async throws { throw Gone() }
            func finish(_ trailingHeaders: HTTPFields?) async throws {}
        }
        let storage = try SQLiteRelayStorage(inMemory: .init())
        let start = try await storage.records.latestChange()
        for batch in 0..<4 {
            let records = (0..<500).map {
                RelayRecord(TelemetryRecord(recordType: "T", recordID: .init(recordName: "\(batch)-\($0)")))
            }
            _ = try await storage.records.save(records, policy: .insert)
        }
        let session = StreamSession(credential: .none, uptime: { .zero })
        let clients = KnownClients(storage: storage.records)
        let pages = Mutex(0)
        let stream = NotificationStream(
            storage: storage, owners: [], resumed: start, newest: try await storage.records.latestChange()
        ) {
            let page = pages.withLock { pages in
                pages += 1
                return pages
            }
            // Everything was read.
            if page == 5 { session.end() }
            return try await Visibility(of: RelayCaller(credential: .none, tokenName: nil, role: .viewer), clients)
        }
        var events = ServerSentEvents(GonePeer(), session: session)
        await #expect(throws: Gone.self) { try await stream.write(session, to: &events) }
        #expect(pages.withLock { $0 } == 2)
        try await storage.close()
    }

    @Test("A host is notified of its own records and of rules, by its own subscriptions")
    func hostNotifications() async throws {
        try await RelayBench.run(.live) { relay async throws -> Void in
            let port = try #require(relay.client.port)
            let host = TestCaller.host("a")
            _ = try await relay.send(.put, "/v1/subscriptions/all", #"{"recordType":"TelemetryScenario"}"#)
            _ = try await relay.send(.put, "/v1/subscriptions/r", #"{"recordType":"TelemetryRule"}"#, as: host)
            _ = try await relay.send(.put, "/v1/subscriptions/c", #"{"recordType":"TelemetryCommand","clientid":"a"}"#, as: host)
            try await StreamLines.open(
                port: port, "/v1/notifications", headers: host.headers.map { ($0.name.rawName, $0.value) }
            ) { stream async throws -> Void in
                #expect(try await stream.next()?.name == "ready")
                for record in [
                    WireSample.record("1"), WireSample.record("2", type: "TelemetryCommand", client: "b"),
                    WireSample.record("3", type: "TelemetryCommand"), WireSample.record("4", type: "TelemetryRule", client: nil),
                ] { _ = try await relay.post("/v1/records", WireSample.save("insert", record)) }
                #expect(try await stream.next()?.data?.contains(#""subscriptionID":"c""#) == true)
                #expect(try await stream.next()?.data?.contains(#""subscriptionID":"r""#) == true)
            }
        }
    }

    @Test("An open stream ends when its token is revoked, and when the store gets its first token")
    func tokenEnds() async throws {
        try await RelayBench.run(.live, uptime: ArrivalClock.continuous()) { relay async throws -> Void in
            let port = try #require(relay.client.port)
            let tokens = RelayTokens(storage: relay.storage.tokens)
            let text = try await StreamLines.open(port: port, "/v1/notifications") { stream in
                #expect(try await stream.next()?.name == "ready")
                let text = try await tokens.create(role: .reader, name: "r")
                #expect(try await stream.next() == nil)
                return text
            }
            try await StreamLines.open(port: port, "/v1/notifications", headers: [("Authorization", "Bearer \(text)")]) {
                stream async throws -> Void in
                #expect(try await stream.next()?.name == "ready")
                try await tokens.revoke("r")
                #expect(try await stream.next() == nil)
            }
        }
    }

    @Test("A waiting request returns when an event matches, or empty when the wait ends")
    func waiting() async throws {
        let clock = ManualClock()
        try await RelayBench.run(clock: clock) { relay async throws -> Void in
            async let found = relay.get("/v1/events?wait=60&client=a&name=n")
            await clock.sleepers(atLeast: 2)
            _ = try await relay.post("/v1/events", Self.batch(1...1, client: "b"))
            _ = try await relay.post("/v1/events", Self.batch(2...2))
            #expect(try await found.list.count == 1)
        }
    }

    @Test("A silent stream gets heartbeats")
    func heartbeats() async {
        let time = TestTime()
        let session = StreamSession(credential: .none, uptime: { time.uptime })
        time.pass(9)
        session.check(heartbeat: .seconds(10))
        session.hint()
        #expect(await session.next().needsHeartbeat == false)
        time.pass(1)
        session.check(heartbeat: .seconds(10))
        #expect(await session.next().needsHeartbeat)
        session.noteWrite()
        session.check(heartbeat: .seconds(10))
        session.end()
        #expect(await session.next().needsHeartbeat == false)
    }
}
