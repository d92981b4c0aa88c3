import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

/// What a caller cannot make the relay store, hold or compute: a token that ships inside an app is public.
struct ExhaustionTests {
    private static func post(_ context: String, events: Int, to relay: RelayBench) async throws -> RelayBench.Answer {
        let list = (0..<events).map { #"{"eventId":"\#($0)"}"# }.joined(separator: ",")
        let common = #""eventName":"n","eventTimestamp":"2026-11-21T08:00:00Z","sessionId":"s","clientid":"a""#
        return try await relay.post(
            "/v1/events", #"{"events":[\#(list)],"context":{\#(common),"property1":"\#(context)"}}"#, as: .host("a"))
    }

    @Test("The body limit holds for events with the fields that they take from the context")
    func context() async throws {
        var configuration = RelayConfiguration()
        configuration.limits.bodyBytes = 100_000
        try await RelayBench.run(configuration: configuration) { relay async throws -> Void in
            let refused = try await Self.post(String(repeating: "x", count: 5_000), events: 20, to: relay)
            #expect(refused.status == .contentTooLarge && refused.code == "quotaExceeded")
            #expect((refused["detail"] as? String)?.contains("100000") == true)
            #expect(try await relay.get("/v1/events").list.isEmpty)
            #expect(try await Self.post(String(repeating: "x", count: 5_000), events: 19, to: relay).status == .ok)
        }
    }

    @Test("Line breaks take no more bytes in the store than on the wire")
    func lineBreaks() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let text = String(repeating: #"\n\r\t"#, count: 1_000)
            #expect(try await Self.post(text, events: 1, to: relay).status == .ok)
            let stored = try await relay.get("/v1/events")
            #expect(stored.text.utf8.count < text.utf8.count + 500)
            #expect(stored.list.first?["property1"] as? String == String(repeating: "\n\r\t", count: 1_000))
        }
    }

    @Test("A deletion has as many names as a save has records")
    func deletion() async throws {
        var configuration = RelayConfiguration()
        configuration.limits.saveRecords = 3
        try await RelayBench.run(configuration: configuration) { relay async throws -> Void in
            #expect(try await relay.post("/v1/records", WireSample.save("insert", WireSample.record("1"))).status == .ok)
            let refused = try await relay.post("/v1/records/delete", #"{"recordNames":["1","2","3","4"]}"#)
            #expect(refused.status == .contentTooLarge && refused.code == "quotaExceeded")
            #expect(try await relay.get("/v1/records/1").status == .ok)
            #expect(try await relay.post("/v1/records/delete", #"{"recordNames":["1","2","3"]}"#)["deleted"] as? Int == 1)
        }
    }

    @Test("A client and a viewer's token have a limited number of streams and waiting requests")
    func streams() async throws {
        var configuration = RelayConfiguration()
        (configuration.limits.clientStreams, configuration.limits.tokenStreams) = (2, 1)
        try await RelayBench.run(.live, configuration: configuration) { relay async throws -> Void in
            let port = try #require(relay.client.port)
            func stream(_ caller: TestCaller, _ body: () async throws -> Void) async throws {
                let headers = caller.headers.map { ($0.name.rawName, $0.value) }
                try await StreamLines.open(port: port, "/v1/notifications", headers: headers) { stream in
                    // It counts once it is ready.
                    #expect(try await stream.next()?.name == "ready")
                    try await body()
                }
            }
            let token = try await relay.token(.host)
            let host = TestCaller.host("a", token: token)
            let viewer = TestCaller.bearing(try await relay.token(.viewer))
            try await stream(host) {
                try await stream(host) {
                    for path in ["/v1/events/stream", "/v1/notifications", "/v1/events?wait=60"] {
                        let refused = try await relay.get(path, as: host)
                        #expect(refused.status == .tooManyRequests && refused.code == "rateLimited")
                        #expect(refused.headers[.retryAfter] == "5")
                    }
                    try await stream(.host("b", token: token)) {}
                    try await stream(viewer) { () async throws in
                        for path in ["/v1/events/stream", "/debug/logs?wait=60"] {
                            let refused = try await relay.get(path, as: viewer)
                            #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] == "5")
                        }
                    }
                }
            }
        }
    }

    @Test("The streams of all hosts use at most half of the connections")
    func hostStreams() async throws {
        var configuration = RelayConfiguration()
        configuration.limits.connections = 9
        // Otherwise they could all come from one address, which has a limit of its own.
        configuration.isBehindProxy = true
        try await RelayBench.run(.live, configuration: configuration) { relay async throws -> Void in
            let port = try #require(relay.client.port)
            let token = try await relay.token(.host)
            let viewer = TestCaller.bearing(try await relay.token(.viewer))
            func open(_ count: Int, _ body: () async throws -> Void) async throws {
                guard count > 0 else { return try await body() }
                let headers = TestCaller.host("client-\(count)", token: token).headers.map { ($0.name.rawName, $0.value) }
                try await StreamLines.open(port: port, "/v1/notifications", headers: headers) { stream in
                    #expect(try await stream.next()?.name == "ready")
                    try await open(count - 1, body)
                }
            }
            try await open(4) { () async throws in
                let other = TestCaller.host("other", token: token)
                #expect(try await relay.get("/v1/notifications", as: other).status == .tooManyRequests)
                #expect(try await relay.get("/v1/events", as: other).status == .ok)
                #expect(try await relay.get("/v1/events?wait=0", as: viewer).status == .ok)
            }
        }
    }

    @Test("A batch with two members of one name is refused before it is read again", arguments: ["events", "context"])
    func repeatedMembers(name: String) async throws {
        let member = name == "events" ? #""events":[]"# : #""context":{}"#
        try await RelayBench.run { relay async throws -> Void in
            let refused = try await relay.post("/v1/events", "{\(member),\(member),\"events\":[]}")
            #expect(refused.status == .badRequest && refused.code == "invalidArgument")
            #expect(refused["detail"] as? String == "The body has two members \(name).")
        }
    }

    @Test("A save with two records of one name is refused, and saves nothing")
    func repeatedRecords() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let body = WireSample.save(
                "insert", WireSample.record("1"), WireSample.record("caf\u{e9}"), WireSample.record("cafe\u{301}"))
            let refused = try await relay.post("/v1/records", body)
            #expect(refused.status == .badRequest && refused.code == "invalidArgument")
            #expect(try await relay.get("/v1/records/1").status == .notFound)
        }
    }

    @Test("A host's debug logs are limited in bytes for each address; a viewer's are not")
    func debugLogs() async throws {
        var configuration = RelayConfiguration()
        configuration.rates.debugBytes = 600
        let time = TestTime()
        try await RelayBench.run(configuration: configuration, uptime: { time.uptime }) { relay async throws -> Void in
            let host = TestCaller.bearing(try await relay.token(.host))
            let viewer = TestCaller.bearing(try await relay.token(.viewer))
            let body = #"{"entries":[\#(String(repeating: " ", count: 500))]}"#
            #expect(try await relay.post("/debug/logs", body, as: host).status == .ok)
            let refused = try await relay.post("/debug/logs", body, as: host)
            #expect(refused.status == .tooManyRequests)
            #expect(refused.headers[.retryAfter].flatMap { Int($0) }.map { (1...60).contains($0) } == true)
            for _ in 1...3 { #expect(try await relay.post("/debug/logs", body, as: viewer).status == .ok) }
            time.pass(60)
            #expect(try await relay.post("/debug/logs", body, as: host).status == .ok)
        }
    }

    @Test("The metrics contain the bytes of the change log and of subscriptions")
    func metrics() async throws {
        try await RelayBench.run { relay async throws -> Void in
            func value(_ name: String) async throws -> Int? {
                let lines = try await relay.get("/metrics").text.split(separator: "\n")
                return lines.first { $0.hasPrefix(name + " ") }.flatMap { Int($0.dropFirst(name.count + 1)) }
            }
            #expect(try await value("relay_record_change_bytes_kept") == 0)
            #expect(try await value("relay_subscription_bytes_kept") == 0)
            let name = String(repeating: "x", count: 10_000)
            for _ in 1...3 { _ = try await relay.post("/v1/records", WireSample.save("overwrite", WireSample.record(name))) }
            _ = try await relay.send(.put, "/v1/subscriptions/1", #"{"recordType":"\#(name)"}"#)
            #expect(try await value("relay_record_change_bytes_kept").map { (30_000..<31_000).contains($0) } == true)
            #expect(try await value("relay_subscription_bytes_kept").map { (10_000..<10_200).contains($0) } == true)
        }
    }

    @Test(
        "Addresses of one IPv6 network count as one",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
            ("2001:db8:1:3::9", "2001:db8:1:3::/64"), ("::ffff:192.0.2.1", "192.0.2.1"), ("unknown", "unknown"), ("", ""),
        ])
    func networks(address: String, name: String) { #expect(SourceNetwork.name(of: address) == name) }

    @Test(
        "What a proxy reports is an address, with or without a port, or nothing",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), (" 192.0.2.1:80 ", "192.0.2.1"), ("[2001:db8::1]:80", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"), ("2001:db8::1", "2001:db8::1"), ("192.0.2.001", nil), ("unknown", nil), ("", nil),
            (String(repeating: "1", count: 10_000), nil), ("::1:", nil), (":80", nil),
        ])
    func reportedAddresses(text: String, address: String?) { #expect(SourceNetwork.address(in: text) == address) }

    @Test("The rate of new clients counts an IPv6 network as one address")
    func newClients() async throws {
        var configuration = RelayConfiguration()
        configuration.rates.newClients = 1
        configuration.isBehindProxy = true
        try await RelayBench.run(configuration: configuration) { relay async throws -> Void in
            func status(_ client: String, from address: String) async throws -> HTTPResponse.Status {
                let forwarded = HTTPField.Name("X-Forwarded-For").map { [$0: "198.51.100.7, \(address)"] as HTTPFields } ?? [:]
                return try await relay.send(.get, "/v1/server", as: .host(client), headers: forwarded).status
            }
            #expect(try await status("1", from: "2001:db8::1") == .ok)
            #expect(try await status("2", from: "2001:db8::2") == .tooManyRequests)
            #expect(try await status("3", from: "2001:db8:0:1::2") == .ok)
        }
    }

    @Test("A deletion searches without keeping other writers waiting")
    func searching() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let file = directory.appending(path: "relay.sqlite")
            let storage = try SQLiteRelayStorage(file: file)
            _ = try await storage.events.append(Sample.events(1...10))
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: file.path, configuration: configuration)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            #expect(try await storage.events.delete(matching: .init(clients: ["c"], scenarios: ["none"])) == 0)
            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            #expect(try await storage.events.delete(matching: .init(clients: ["c"])) == 10)
            try await storage.close()
        }
    }

    @Test("Every name is a record's name, and no record is an event")
    func names() async throws {
        try await RelayBench.run { relay async throws -> Void in
            for name in ["query", "delete"] {
                #expect(try await relay.get("/v1/records/\(name)").status == .notFound)
                #expect(try await relay.post("/v1/records", WireSample.save("insert", WireSample.record(name))).status == .ok)
                #expect(try await relay.get("/v1/records/\(name)")["recordName"] as? String == name)
            }
            let event = try await relay.post(
                "/v1/records", WireSample.save("insert", WireSample.record("e", type: "TelemetryEvent")))
            #expect(event.status == .badRequest && event.code == "invalidArgument")
        }
    }
}
