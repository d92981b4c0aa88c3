import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import TelemetryRelay

/// Who did what, over HTTP.
struct AuditTests {
    /// An audit that cannot be written.
    private struct FullAudit: RelayAuditStorage {
        func append(_ entry: RelayAuditEntry) async throws { throw RelayStorageError.full }

        func page(
            matching filter: RelayAuditFilter, after position: String?, limit: Int, order: RelayEventOrder
        ) async throws -> RelayAuditPage {
            RelayAuditPage(entries: [], cursor: "", hasMore: false)
        }
    }

    /// The entries after those of the tokens: token, action, client, detail and status, `-` for null.
    private static func entries(
        _ relay: RelayBench, as caller: TestCaller = .nobody, _ query: String = "limit=1000"
    ) async throws -> [String] {
        let answer = try await relay.get("/v1/audit?\(query)", as: caller)
        let entries = try #require(answer["entries"] as? [[String: Any]], "\(answer.text)")
        return entries.filter { ($0["action"] as? String)?.hasPrefix("token.") == false }.map { entry in
            ["token", "action", "client", "detail", "status"].map { name in
                (entry[name] as? String) ?? (entry[name] as? Int).map(String.init) ?? "-"
            }.joined(separator: "|")
        }
    }

    @Test("Reads of viewers and readers are entries with their filters, those of hosts are not")
    func reads() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let viewer = TestCaller.bearing(try await relay.token(.viewer, name: "anna"))
            let reader = TestCaller.bearing(try await relay.token(.reader, name: "rita"))
            let host = TestCaller.host("a", token: try await relay.token(.host))
            let filter =
                "client=a&session=s&scenario=B&scenario=A%20b&level=info&name=n&since=2026-11-21T08:00:00Z&query=x:%221%22"
            for caller in [viewer, host] {
                _ = try await relay.post("/v1/events", WireSample.batch(WireSample.event("1")), as: caller)
                for path in ["/v1/events?\(filter)&limit=5", "/v1/events/count?until=2026-11-21T08:00:00Z"] {
                    #expect(try await relay.get(path, as: caller).status == .ok)
                }
            }
            let body = #"{"query":"secret | stats count()","client":["b"],"level":"info"}"#
            for caller in [reader, host] { #expect(try await relay.post("/v1/query", body, as: caller).status == .ok) }
            let headers: HTTPFields = [try #require(.init("Telemetry-Purpose")): "export"]
            #expect(try await relay.send(.get, "/v1/events", as: reader, headers: headers).status == .ok)
            // What is not answered is no read.
            #expect(try await relay.get("/v1/events?level=x", as: viewer).status == .badRequest)
            let detail =
                #"query=x:1 session=s since=2026-11-21T08:00:00.000Z level=info scenario="A b" scenario=B name=n"#
            #expect(
                try await Self.entries(relay, as: viewer) == [
                    "anna|events.read|a|\(detail)|200", "anna|events.count|-|until=2026-11-21T08:00:00.000Z|200",
                    #"rita|events.query|b|query="secret | stats count()" level=info|200"#, "rita|events.export|-||200",
                ])
        }
    }

    @Test("A stream is an entry when it begins and when it ends")
    func stream() async throws {
        try await RelayBench.run(.live, uptime: ArrivalClock.continuous()) { relay async throws -> Void in
            let port = try #require(relay.client.port)
            let viewer = TestCaller.bearing(try await relay.token(.viewer, name: "anna"))
            let text = try await relay.token(.reader, name: "rita")
            let headers = TestCaller.bearing(text).headers.map { ($0.name.rawName, $0.value) }
            let begin = "rita|events.stream|a||200"
            try await StreamLines.open(port: port, "/v1/events/stream?client=a", headers: headers) { stream async throws in
                #expect(try await Self.entries(relay, as: viewer) == [begin])
                try await RelayTokens(storage: relay.storage.tokens).revoke("rita")
                #expect(try await stream.next() == nil)
                #expect(try await Self.entries(relay, as: viewer) == [begin, "rita|events.streamEnd|a||200"])
            }
        }
    }

    @Test("Approvals, commands, rules and other records are entries with what changed, those of hosts are not")
    func saves() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let viewer = TestCaller.bearing(try await relay.token(.viewer, name: "anna"))
            let host = TestCaller.host("a", token: try await relay.token(.host))
            func save(_ type: String, _ name: String, _ more: String, client: String? = "a", as caller: TestCaller) async throws {
                let record = WireSample.record(name, type: type, client: client, more: more)
                let answer = try await relay.post("/v1/records", WireSample.save("overwrite", record), as: caller)
                #expect(answer.status == .ok, "\(answer.text)")
            }
            try await save("TelemetryClient", "c", #","isEnabled":false,"device":"d""#, as: host)
            try await save("TelemetryClient", "c", #","isEnabled":true,"device":"d""#, as: viewer)
            try await save("TelemetryClient", "c", #","isEnabled":true,"device":"e f""#, as: viewer)
            try await save("TelemetryClient", "c", #","isEnabled":0"#, as: viewer)
            try await save("TelemetryScenario", "s", #","isEnabled":true"#, as: host)
            try await save("TelemetryScenario", "s", #","isEnabled":false"#, as: viewer)
            try await save("TelemetryCommand", "k", #","action":"activate","lease":60"#, as: viewer)
            try await save("TelemetryCommand", "k", #","action":"activate","lease":60,"issuer":"anna","status":"x""#, as: host)
            try await save("TelemetryRule", "r", #","conditions":"*""#, client: nil, as: viewer)
            try await save("Other", "o", "", as: viewer)
            let names = #"{"recordNames":["r","nothing","k"]}"#
            #expect(try await relay.post("/v1/records/delete", names, as: viewer).text == #"{"deleted":2}"#)
            #expect(
                try await Self.entries(relay, as: viewer) == [
                    "anna|client.approve|a|c isEnabled=true|200", #"anna|client.save|a|c device="e f"|200"#,
                    #"anna|client.disapprove|a|c isEnabled=0 device=""|200"#, "anna|scenario.save|a|s isEnabled=false|200",
                    "anna|command.create|a|k action=activate issuer=anna lease=60|200",
                    #"anna|rule.save|-|r conditions=* issuer=anna x=1|200"#, "anna|record.save|a|o recordType=Other|200",
                    "anna|record.delete|-|r recordType=TelemetryRule|200",
                    "anna|record.delete|a|k recordType=TelemetryCommand|200",
                ])
        }
    }

    @Test("Deletions are entries, those of hosts if they delete something")
    func deletions() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let viewer = TestCaller.bearing(try await relay.token(.viewer, name: "anna"))
            let host = TestCaller.host("a", token: try await relay.token(.host, name: "app"))
            for number in 1...2 {
                let event = WireSample.event("\(number)", more: #","attributes":{"x":\#(number)}"#)
                _ = try await relay.post("/v1/events", WireSample.batch(event), as: viewer)
            }
            _ = try await relay.post("/v1/records", WireSample.save("insert", WireSample.record("r")), as: host)
            for _ in 0..<2 { _ = try await relay.post("/v1/records/delete", #"{"recordNames":["r"]}"#, as: host) }
            #expect(try await relay.send(.delete, "/v1/events?query=x:1", as: host).text == #"{"deleted":1}"#)
            #expect(try await relay.send(.delete, "/v1/events?all=true", as: host).text == #"{"deleted":1}"#)
            #expect(try await relay.send(.delete, "/v1/events?all=true", as: host).text == #"{"deleted":0}"#)
            #expect(try await relay.send(.delete, "/v1/events?client=a", as: viewer).text == #"{"deleted":0}"#)
            #expect(
                try await Self.entries(relay, as: viewer) == [
                    "app|record.delete|a|r recordType=TelemetryScenario|200", "app|events.delete|a|query=x:1|200",
                    "app|events.delete|a||200", "anna|events.delete|a||200",
                ])
        }
    }

    @Test("Refused requests of known tokens are entries, also of revoked ones")
    func refusals() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let viewer = TestCaller.bearing(try await relay.token(.viewer, name: "anna"))
            let reader = TestCaller.bearing(try await relay.token(.reader, name: "rita"))
            let host = try await relay.token(.host, name: "app")
            #expect(try await relay.send(.delete, "/v1/events?all=true", as: reader).status == .forbidden)
            #expect(try await relay.get("/v1/events", as: .bearing(host)).status == .unauthorized)
            let foreign = WireSample.batch(WireSample.event("1", client: "b"))
            #expect(try await relay.post("/v1/events", foreign, as: .host("a", token: host)).status == .forbidden)
            #expect(try await relay.get("/metrics", as: .bearing(host)).status == .forbidden)
            try await RelayTokens(storage: relay.storage.tokens).revoke("rita")
            #expect(try await relay.get("/v1/audit", as: .bearing("unknown")).status == .unauthorized)
            let last = TestCaller.bearing(try await relay.token(.viewer, name: "gone"))
            try await RelayTokens(storage: relay.storage.tokens).revoke("gone")
            #expect(try await relay.get("/v1/records/x", as: last).status == .unauthorized)
            #expect(
                try await Self.entries(relay, as: viewer) == [
                    "rita|request.refuse|-|DELETE /v1/events|403", "app|request.refuse|-|GET /v1/events|401",
                    "app|request.refuse|-|POST /v1/events|403", "app|request.refuse|-|GET /metrics|403",
                    "gone|request.refuse|-|GET /v1/records/{recordName}|401",
                ])
        }
    }

    @Test("A record that moves to another client or has another type is an entry for both clients")
    func moves() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let viewer = TestCaller.bearing(try await relay.token(.viewer, name: "anna"))
            for record in [
                WireSample.record("c", type: "TelemetryClient", more: #","isEnabled":true"#),
                WireSample.record("c", type: "TelemetryClient", client: "b", more: #","isEnabled":true"#),
                WireSample.record("c", type: "TelemetryClient", client: "b"),
                WireSample.record("c", type: "Other", client: "b"),
            ] {
                #expect(try await relay.post("/v1/records", WireSample.save("overwrite", record), as: viewer).status == .ok)
            }
            #expect(
                try await Self.entries(relay, as: viewer) == [
                    "anna|client.approve|a|c isEnabled=true|200", "anna|client.save|b|c clientid=b|200",
                    "anna|client.save|a|c clientid=b|200", #"anna|client.disapprove|b|c isEnabled=""|200"#,
                    "anna|record.save|b|c recordType=Other|200",
                ])
        }
    }

    @Test("A deletion by a host is an entry for the client whose events it deletes, or names all of its clients")
    func severalClients() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let viewer = TestCaller.bearing(try await relay.token(.viewer, name: "anna"))
            var host = TestCaller.host("new", token: try await relay.token(.host, name: "app"))
            host.clients.append("old")
            for id in 1...4 {
                let event = WireSample.event("\(id)", client: id < 3 ? "old" : "new", more: #","attributes":{"x":\#(id)}"#)
                _ = try await relay.post("/v1/events", WireSample.batch(event), as: host)
            }
            #expect(try await relay.send(.delete, "/v1/events?client=old&query=x:1", as: host).text == #"{"deleted":1}"#)
            #expect(try await relay.send(.delete, "/v1/events?all=true", as: host).text == #"{"deleted":3}"#)
            #expect(
                try await Self.entries(relay, as: viewer) == [
                    "app|events.delete|old|query=x:1|200", "app|events.delete|-|client=new client=old|200",
                ])
            #expect(try await Self.entries(relay, as: viewer, "client=old&everyone=true").count == 2)
        }
    }

    @Test("Deletions by a host are recorded at a limited rate, which refused requests do not use up")
    func limitOfDeletions() async throws {
        let time = TestTime()
        try await RelayBench.run(uptime: { time.uptime }) { relay async throws -> Void in
            let viewer = TestCaller.bearing(try await relay.token(.viewer, name: "anna"))
            let token = try await relay.token(.host, name: "app")
            let burst = AuditRecorder.limit.burst
            for _ in 0..<burst { _ = try await relay.get("/v1/events", as: .bearing(token)) }
            let records = (0..<(burst + 5)).map { WireSample.record("\($0)") }.joined(separator: ",")
            let host = TestCaller.host("a", token: token)
            _ = try await relay.post("/v1/records", #"{"policy":"insert","records":[\#(records)]}"#, as: host)
            let names = (0..<(burst + 5)).map { #""\#($0)""# }.joined(separator: ",")
            let answer = try await relay.post("/v1/records/delete", #"{"recordNames":[\#(names)]}"#, as: host)
            #expect(answer.text == #"{"deleted":\#(burst + 5)}"#)
            #expect(try await Self.entries(relay, as: viewer, "limit=1000&action=record.delete").count == burst)
            #expect(try await relay.get("/metrics", as: viewer).text.contains("\nrelay_audit_entries_omitted_total 5\n"))
        }
    }

    @Test("All entries of hosts together are limited, whatever their addresses")
    func totalLimit() async throws {
        var configuration = RelayConfiguration()
        configuration.isBehindProxy = true
        let time = TestTime()
        try await RelayBench.run(configuration: configuration, uptime: { time.uptime }) { relay async throws -> Void in
            let viewer = TestCaller.bearing(try await relay.token(.viewer, name: "anna"))
            let host = TestCaller.bearing(try await relay.token(.host, name: "app"))
            let limit = AuditRecorder.totalLimit.burst
            for number in 0..<(limit + 9) {
                let forwarded: HTTPFields = [try #require(.init("X-Forwarded-For")): "10.0.\(number / 256).\(number % 256)"]
                _ = try await relay.send(.get, "/v1/events", as: host, headers: forwarded)
            }
            #expect(try await relay.storage.usage().auditEntries == limit + 2)
            #expect(try await relay.get("/metrics", as: viewer).text.contains("\nrelay_audit_entries_omitted_total 9\n"))
        }
    }

    @Test("A client's identifier of a read is bounded, as that of events")
    func longClient() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let client = String(repeating: "x", count: ClientIdentifier.maximumBytes + 1)
            #expect(try await relay.get("/v1/events?client=\(client)").status == .badRequest)
            let body = #"{"query":"x","client":"\#(client)"}"#
            #expect(try await relay.post("/v1/query", body).status == .badRequest)
            #expect(try await relay.get("/v1/events?client=\(client.dropLast())").status == .ok)
            #expect(try await Self.entries(relay).count == 1)
        }
    }

    @Test("A host's token is recorded at a limited rate, and what was left out is counted")
    func limit() async throws {
        let time = TestTime()
        try await RelayBench.run(uptime: { time.uptime }) { relay async throws -> Void in
            let viewer = TestCaller.bearing(try await relay.token(.viewer, name: "anna"))
            let host = TestCaller.bearing(try await relay.token(.host, name: "app"))
            let limit = AuditRecorder.limit
            for _ in 0..<(limit.burst + 7) { _ = try await relay.get("/v1/events", as: host) }
            #expect(try await Self.entries(relay, as: viewer).count == limit.burst)
            #expect(try await relay.get("/metrics", as: viewer).text.contains("\nrelay_audit_entries_omitted_total 7\n"))
            #expect(try await relay.get("/metrics", as: viewer).text.contains("\nrelay_audit_entries_kept \(limit.burst + 2)\n"))
            // Another token has a limit of its own; what viewers do has none.
            _ = try await relay.get("/v1/events", as: viewer)
            time.pass(60)
            for _ in 0..<(limit.perMinute + 1) { _ = try await relay.get("/v1/events", as: host) }
            let last = try await Self.entries(relay, as: viewer).dropFirst(limit.burst + 1)
            #expect(last.first == "app|request.refuse|-|omittedSoFar=7 GET /v1/events|401")
            #expect(last.count == limit.perMinute)
        }
    }

    @Test("A read that cannot be recorded is a 503 without its result")
    func full() async throws {
        let storage = AlteredStorage(try SQLiteRelayStorage(inMemory: .init())) { $0.audit = FullAudit() }
        var configuration = RelayConfiguration()
        configuration.port = 0
        let application = try Relay.application(configuration: configuration, storage: storage, logger: Bench.logger())
        try await application.testInTurn(.router) { client async throws -> Void in
            let relay = RelayBench(client: client, storage: storage)
            let body = WireSample.batch(WireSample.event("1"))
            #expect(try await relay.post("/v1/events", body, as: .host("a")).status == .ok)
            await #expect(throws: (any Error).self) { try await relay.get("/v1/events/stream") }
            for path in ["/v1/events", "/v1/events/count"] {
                let answer = try await relay.get(path)
                #expect(answer.status == .serviceUnavailable && !answer.text.contains("count"), "\(path): \(answer.text)")
                #expect(try await relay.get("/v1/events/count", as: .host("a")).status == .ok)
            }
            #expect(try await relay.post("/v1/query", #"{"query":"n"}"#).status == .serviceUnavailable)
        }
    }

    @Test("The audit is read in pages, in both orders, with filters; what is malformed is a 400")
    func pages() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let auditor = TestCaller.bearing(try await relay.token(.auditor, name: "otto"))
            let viewer = TestCaller.bearing(try await relay.token(.viewer, name: "anna"))
            for client in ["a", "b", "%C3%A9"] { _ = try await relay.get("/v1/events/count?client=\(client)", as: viewer) }
            _ = try await relay.get("/v1/events/count", as: viewer)
            let events = try await relay.storage.events.latestCursor().rawValue
            let store = try #require(events.split(separator: "-").first)
            func page(_ query: String) async throws -> (numbers: [Int], cursor: String?, hasMore: Bool?) {
                let answer = try await relay.get("/v1/audit?\(query)", as: auditor)
                let numbers = (answer["entries"] as? [[String: Any]])?.compactMap { $0["number"] as? Int }
                return (numbers ?? [], answer["cursor"] as? String, answer["hasMore"] as? Bool)
            }
            #expect(try await page("limit=4") == ([1, 2, 3, 4], "\(store)-4", true))
            #expect(try await page("limit=4&after=\(store)-4") == ([5, 6], "\(store)-6", false))
            #expect(try await page("after=6") == ([], "\(store)-6", false))
            #expect(try await page("limit=2&order=desc") == ([6, 5], "\(store)-5", true))
            #expect(try await page("order=desc&after=3") == ([2, 1], "\(store)-1", false))
            #expect(try await page("client=e%CC%81").numbers == [5])
            #expect(try await page("client=a&everyone=true").numbers == [3, 6])
            #expect(try await page("action=token.create&action=events.read").numbers == [1, 2])
            #expect(try await page("token=anna&limit=2").numbers == [3, 4])
            #expect(try await page("since=2000-01-01T00:00:00Z&until=2000-01-02T00:00:00Z").numbers == [])
            #expect(try await page("since=2000-01-01T00:00:00Z").numbers.count == 6)
            let entries = try await relay.get("/v1/audit", as: auditor)["entries"] as? [[String: Any]] ?? []
            for entry in entries {
                let (number, time) = (try #require(entry["number"] as? Int), try #require(entry["time"] as? String))
                #expect(try await page("since=\(time)").numbers.contains(number), "\(time)")
                #expect(try await !page("until=\(time)").numbers.contains(number), "\(time)")
            }
            let first = try #require(
                (try await relay.get("/v1/audit?limit=1", as: auditor)["entries"] as? [[String: Any]])?.first)
            #expect(first["token"] is NSNull && first["role"] is NSNull && first["address"] is NSNull)
            #expect(first["detail"] as? String == "otto role=auditor")
            #expect((first["time"] as? String).flatMap { RelayTime($0) } != nil)
            for query in [
                "action=x", "order=x", "limit=0", "limit=1001", "after=x", "after=-1", "after=x-1", "after=\(store)-8", "since=x",
                "everyone=1",
                "client=a&client=b", "wait=1",
            ] {
                #expect(try await relay.get("/v1/audit?\(query)", as: auditor).status == .badRequest, "\(query)")
            }
            let features = try await relay.get("/v1/server", as: viewer)["features"] as? [String]
            #expect(features == ["query", "audit", "alerts"])
        }
    }

    @Test("The entry has the address of the request, or the one that the proxy reports")
    func addresses() async throws {
        for isBehindProxy in [false, true] {
            var configuration = RelayConfiguration()
            configuration.isBehindProxy = isBehindProxy
            try await RelayBench.run(.live, configuration: configuration) { relay async throws -> Void in
                let forwarded: HTTPFields = [try #require(.init("X-Forwarded-For")): "198.51.100.1, [2001:db8::1]:4711"]
                _ = try await relay.send(.get, "/v1/events/count", headers: forwarded)
                let entries = try await relay.get("/v1/audit")["entries"] as? [[String: Any]]
                #expect(entries?.first?["address"] as? String == (isBehindProxy ? "2001:db8::1" : "127.0.0.1"))
                #expect(entries?.first?["token"] is NSNull)
                #expect(entries?.first?["role"] as? String == "viewer")
            }
        }
    }

    @Test("A detail is cut after a character, and its parts cannot be confused")
    func details() {
        var detail = AuditDetail("a b")
        detail.add("x=y", "\"\u{1b}\n")
        detail.add("none", nil)
        detail.add("empty", "")
        #expect(detail.text == #""a b" "x=y"="\"\u001b\n" empty="""#)
        let limit = RelayAuditEntry.maximumDetail
        for length in (limit - 5)...(limit + 5) {
            let text = RelayAuditEntry(
                .readEvents, by: .command, detail: String(repeating: "x", count: length - 3) + "\u{20AC}"
            ).detail
            #expect(text.utf8.count <= limit)
            #expect(text.hasSuffix("…") == (length > limit), "\(length)")
        }
        // A long value does not hide the next one.
        var long = AuditDetail(String(repeating: "n", count: 3_000))
        long.add("a", String(repeating: "\u{0}", count: 3_000))
        long.add("action", "activate")
        #expect(long.text.hasSuffix(" action=activate") && long.text.utf8.count < limit)
    }
}
