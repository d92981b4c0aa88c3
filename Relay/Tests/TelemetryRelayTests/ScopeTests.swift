import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import TelemetryRelay

/// Tokens that are limited to some apps, scenarios or clients.
struct ScopeTests {
    private static let clientType = "TelemetryClient"

    private static func client(_ name: String, _ client: String, more: String) -> String {
        WireSample.save("overwrite", WireSample.record(name, type: clientType, client: client, more: more))
    }

    private static func app(_ app: String) -> String { #","isEnabled":true,"app":"\#(app)""# }

    private func token(_ relay: RelayBench, _ scope: RelayScope?, role: RelayRole = .viewer) async throws -> TestCaller {
        .bearing(try await RelayTokens(storage: relay.storage.tokens).create(role: role, name: "t-\(UUID())", scope: scope))
    }

    @Test("A client is in the scope of its app as soon as its record says so, and no longer; without an app, its version counts")
    func apps() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let admin = try await token(relay, nil)
            let scoped = try await token(relay, .init(apps: ["com.example.*"]))
            _ = try await relay.post(
                "/v1/events",
                WireSample.batch(
                    WireSample.event("1"), WireSample.event("2", client: "b"), WireSample.event("3", client: nil)), as: admin)
            func seen() async throws -> [String] {
                try await relay.get("/v1/events", as: scoped).list.compactMap { $0["eventId"] as? String }
            }
            #expect(try await seen().isEmpty)
            _ = try await relay.post("/v1/records", Self.client("a", "a", more: Self.app("com.example.shop")), as: admin)
            _ = try await relay.post("/v1/records", Self.client("b", "b", more: Self.app("org.example.shop")), as: admin)
            #expect(try await seen() == ["1"])
            #expect(
                try await relay.post("/v1/records/query", #"{"recordType":"TelemetryClient"}"#, as: scoped).records.count == 1)
            _ = try await relay.post("/v1/records", Self.client("b", "b", more: #","appVersion":"com.example.b""#), as: admin)
            #expect(try await seen() == ["1", "2"])
            _ = try await relay.post("/v1/records", Self.client("a", "a", more: Self.app("net")), as: admin)
            #expect(try await seen() == ["2"])
            _ = try await relay.post("/v1/records/delete", #"{"recordNames":["b"]}"#, as: admin)
            #expect(try await seen().isEmpty)
        }
    }

    @Test("The events and commands of other scenarios do not exist for a token that is limited to one")
    func scenarios() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let admin = try await token(relay, nil)
            let scoped = try await token(relay, .init(scenarios: ["Net*"]))
            let events = [("1", "Net"), ("2", "NetSlow"), ("3", "Pay"), ("4", "net")].map {
                WireSample.event($0.0, more: #","scenario":"\#($0.1)""#)
            }
            let batch = #"{"events":[\#((events + [WireSample.event("5")]).joined(separator: ","))]}"#
            _ = try await relay.post("/v1/events", batch, as: admin)
            #expect(try await relay.get("/v1/events/count", as: scoped)["count"] as? Int == 2)
            #expect(try await relay.get("/v1/events/count?scenario=Pay", as: scoped)["count"] as? Int == 0)
            let rows = try await relay.post("/v1/query", #"{"query":"| stats count() by scenario"}"#, as: scoped)["rows"]
            #expect((rows as? [[Any]])?.compactMap { $0[0] as? String } == ["Net", "NetSlow"])
            // Lines have a header with the names of other scenarios.
            let lines = try await relay.send(.get, "/v1/events", as: scoped, headers: [.accept: EventForm.linesType])
            #expect(lines.headers[.contentType] == "application/json" && lines.list.count == 2)
            func save(_ name: String, _ type: String, _ more: String) async throws -> Int {
                try await relay.post(
                    "/v1/records", WireSample.save("insert", WireSample.record(name, type: type, more: more)), as: scoped
                ).status.code
            }
            #expect(try await save("c1", "TelemetryCommand", #","action":"enableScenario","scenarioName":"Net""#) == 200)
            #expect(try await save("c2", "TelemetryCommand", #","action":"enableScenario","scenarioName":"Pay""#) == 403)
            #expect(try await save("c3", "TelemetryCommand", #","action":"delete_events","scenarioName":"Net""#) == 403)
            #expect(try await save("c5", "TelemetryCommand", #","action":"enable""#) == 200, "an approval")
            #expect(try await save("c6", "TelemetryCommand", #","action":"disable""#) == 403)
            #expect(try await save("c4", "TelemetryCommand", #","action":"pause""#) == 403)
            #expect(try await save("r1", "TelemetryRule", #","scenarioName":"Net""#) == 200)
            #expect(try await save("r2", "TelemetryRule", #","scenarioName":"Net","trigger":"{}""#) == 403)
            #expect(try await save("x1", "TelemetrySavedQuery", "") == 403)
            #expect(try await relay.send(.delete, "/v1/events?client=a", as: scoped)["deleted"] as? Int == 2)
            #expect(try await relay.get("/v1/events/count", as: admin)["count"] as? Int == 3)
        }
    }

    @Test("No token brings a client into its scope, or reads or replaces what is outside")
    func escape() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let admin = try await token(relay, nil)
            let scoped = try await token(relay, .init(apps: ["shop"]))
            _ = try await relay.post("/v1/records", Self.client("a", "a", more: Self.app("shop")), as: admin)
            _ = try await relay.post("/v1/records", Self.client("b", "b", more: Self.app("bank")), as: admin)
            func save(_ policy: String, _ name: String, _ type: String, _ client: String?, _ more: String = "") async throws
                -> Int
            {
                let record = WireSample.record(name, type: type, client: client, more: more)
                return try await relay.post("/v1/records", WireSample.save(policy, record), as: scoped).status.code
            }
            for policy in ["insert", "overwrite", "ifUnchanged"] {
                #expect(try await save(policy, "b", Self.clientType, "b", Self.app("shop")) == 403)
                #expect(try await save(policy, "b", Self.clientType, "a", Self.app("shop")) == 403, "a foreign record's name")
                #expect(try await save(policy, "b2", Self.clientType, "b", Self.app("shop")) == 403, "another record of b")
                #expect(try await save(policy, "n", Self.clientType, "n", Self.app("shop")) == 403, "a client without a record")
                #expect(try await save(policy, "c", "TelemetryCommand", "b") == 403)
                #expect(try await save(policy, "r", "TelemetryRule", nil) == 403, "for every client")
                #expect(try await save(policy, "a", Self.clientType, "a", Self.app("bank")) == 403, "out of the scope")
                #expect(try await save(policy, "a", Self.clientType, "b", Self.app("shop")) == 403, "to another client")
            }
            #expect(try await save("overwrite", "a", Self.clientType, "a", Self.app("shop")) == 200)
            #expect(try await relay.get("/v1/records/b", as: scoped).status == .notFound)
            let deletion = try await relay.post("/v1/records/delete", #"{"recordNames":["a","b"]}"#, as: scoped)
            #expect(deletion["deleted"] as? Int == 1)
            for client in ["a", "b", nil] {
                let batch = WireSample.batch(WireSample.event("e", client: client))
                #expect(try await relay.post("/v1/events", batch, as: scoped).status == .forbidden)
            }
        }
    }

    @Test(
        "What decides on scopes cannot be changed, nor a client's record made; with a limit to scenarios, a client can only be approved"
    )
    func widening() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let admin = try await token(relay, nil)
            let ofApp = try await token(relay, .init(apps: ["shop"]))
            let ofScenario = try await token(relay, .init(scenarios: ["Net"]))
            let waiting = #","isEnabled":false,"app":"shop""#
            _ = try await relay.post("/v1/records", Self.client("a", "a", more: waiting), as: admin)
            func save(_ name: String, _ more: String, as caller: TestCaller) async throws -> Int {
                try await relay.post("/v1/records", Self.client(name, "a", more: more), as: caller).status.code
            }
            for caller in [ofApp, ofScenario] {
                #expect(try await save("pin", Self.app("shop"), as: caller) == 403)
                #expect(try await save("a", Self.app("bank"), as: caller) == 403)
                #expect(try await save("a", #","isEnabled":true"#, as: caller) == 403)
                #expect(try await save("a", Self.app("shop") + #","appVersion":"shop""#, as: caller) == 403)
            }
            #expect(try await save("a", waiting + #","isPaused":true"#, as: ofScenario) == 403)
            #expect(try await save("a", Self.app("shop"), as: ofScenario) == 200, "approved")
            #expect(try await save("a", waiting, as: ofScenario) == 403)
            #expect(try await save("a", waiting, as: ofApp) == 200)
            for name in ["client-b", "scenario-b-Net"] {
                let record = WireSample.record(name, type: "TelemetryScenario", more: #","scenarioName":"Net""#)
                #expect(try await relay.post("/v1/records", WireSample.save("insert", record), as: ofApp).status.code == 403)
            }
            let deletion = #"{"recordNames":["a"]}"#
            #expect(try await relay.post("/v1/records/delete", deletion, as: ofScenario)["deleted"] as? Int == 0)
            #expect(try await relay.post("/v1/records/delete", deletion, as: ofApp)["deleted"] as? Int == 1)
        }
    }

    @Test("The cursor of a query for records says nothing of records that are not part of the answer")
    func recordCursors() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let admin = try await token(relay, nil)
            let scoped = try await token(relay, .init(clients: ["a"]), role: .reader)
            let own = WireSample.record("m", more: #","scenarioName":"M""#)
            _ = try await relay.post("/v1/records", WireSample.save("insert", own), as: admin)
            func cursors() async throws -> [String] {
                var cursors: [String] = []
                for more in ["", #","ascending":false"#, #","limit":1"#, #","conditions":{"clientid":"b"}"#] {
                    let query = #"{"recordType":"TelemetryScenario","sortField":"scenarioName"\#(more)}"#
                    cursors.append(try await relay.post("/v1/records/query", query, as: scoped)["cursor"] as? String ?? "-")
                }
                return cursors
            }
            let before = try await cursors()
            for name in ["A", "Z"] {
                let other = WireSample.record("other-\(name)", client: "b", more: #","scenarioName":"\#(name)""#)
                _ = try await relay.post("/v1/records", WireSample.save("insert", other), as: admin)
            }
            #expect(try await cursors() == before)
        }
    }

    @Test(
        "A stored scope that this relay does not understand is not taken for no limit",
        arguments: ["{}", #"{"tenant":["a"]}"#, "x"])
    func unknownScope(text: String) async throws {
        #expect(throws: RelayStorageError.self) { try RelayScope(stored: Data(text.utf8)) }
        let scope = try #require(RelayScope(apps: ["a"], clients: ["b", "c"]))
        #expect(try RelayScope(stored: Data(scope.json)) == scope)
    }

    @Test("What concerns the whole relay is refused; the server says the scope, the audit and the list of tokens have it")
    func wholeRelay() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let tokens = RelayTokens(storage: relay.storage.tokens)
            let scope = RelayScope(apps: ["com.*", "org"], scenarios: ["Net"], clients: ["web-*"])
            let admin = try await token(relay, nil)
            let scoped = TestCaller.bearing(try await tokens.create(role: .viewer, name: "contractor", scope: scope))
            for path in ["/v1/audit", "/metrics", "/debug/logs"] {
                #expect(try await relay.get(path, as: scoped).status == .forbidden)
                #expect(try await relay.get(path, as: admin).status == .ok)
            }
            #expect(try await relay.post("/debug/logs", #"{"entries":[]}"#, as: scoped).status == .forbidden)
            let server = try await relay.get("/v1/server", as: scoped)
            #expect(
                server["scope"] as? [String: [String]] == ["app": ["com.*", "org"], "scenario": ["Net"], "client": ["web-*"]])
            #expect(try await relay.get("/v1/server", as: admin).object.keys.contains("scope") == false)
            #expect(try await tokens.list().contains { $0.hasSuffix("app=com.* app=org scenario=Net client=web-*") })
            let entries = try await relay.get("/v1/audit?action=token.create", as: admin)["entries"] as? [[String: Any]]
            _ = try await relay.send(.delete, "/v1/events?all=true", as: scoped)
            let deletions = try await relay.get("/v1/audit?action=events.delete", as: admin)["entries"] as? [[String: Any]]
            let within = #"within="app=com.* app=org scenario=Net client=web-*""#
            #expect(deletions?.compactMap { $0["detail"] as? String } == [within])
            let details = entries?.compactMap { $0["detail"] as? String } ?? []
            #expect(details.contains { $0.contains("contractor role=viewer app=com.* app=org scenario=Net client=web-*") })
            for role in [RelayRole.host, .auditor] {
                await #expect(throws: RelayConfigurationError.self) {
                    try await tokens.create(role: role, name: "x", scope: scope)
                }
            }
            let long = RelayScope(clients: [String(repeating: "x", count: 201)])
            for scope in [RelayScope(apps: [""]), long, RelayScope(apps: Array(repeating: "x", count: 101))] {
                await #expect(throws: RelayConfigurationError.self) {
                    try await tokens.create(role: .viewer, name: "x", scope: scope)
                }
            }
        }
    }

    @Test("A token with a scope has subscriptions of its own, and is notified of what it sees, also by those of other viewers")
    func notifications() async throws {
        try await RelayBench.run(.live) { relay async throws -> Void in
            let port = try #require(relay.client.port)
            let admin = try await token(relay, nil)
            let scoped = try await token(relay, .init(apps: ["shop"], scenarios: ["Net"]))
            _ = try await relay.send(.put, "/v1/subscriptions/all", #"{"recordType":"TelemetryScenario"}"#, as: admin)
            _ = try await relay.send(.put, "/v1/subscriptions/own", #"{"recordType":"TelemetryClient"}"#, as: scoped)
            #expect(try await relay.get("/v1/subscriptions/all", as: scoped).status == .notFound)
            #expect(try await relay.get("/v1/subscriptions/own", as: admin).status == .notFound)
            _ = try await relay.send(.delete, "/v1/subscriptions/all", as: scoped)
            func saves(_ record: String) async throws {
                _ = try await relay.post("/v1/records", WireSample.save("overwrite", record), as: admin)
            }
            try await StreamLines.open(
                port: port, "/v1/notifications", headers: scoped.headers.map { ($0.name.rawName, $0.value) }
            ) { stream async throws -> Void in
                #expect(try await stream.next()?.name == "ready")
                try await saves(WireSample.record("b", type: Self.clientType, client: "b", more: Self.app("bank")))
                try await saves(WireSample.record("1", client: "b", more: #","scenarioName":"Net""#))
                try await saves(WireSample.record("a", type: Self.clientType, more: Self.app("shop")))
                try await saves(WireSample.record("2", more: #","scenarioName":"Pay""#))
                try await saves(WireSample.record("3", more: #","scenarioName":"Net""#))
                let clientChange = #"{"subscriptionID":"own","recordType":"TelemetryClient","recordName":"a"}"#
                #expect(try await stream.next()?.data == clientChange)
                #expect(
                    try await stream.next()?.data
                        == #"{"subscriptionID":"all","recordType":"TelemetryScenario","recordName":"3"}"#)
                // It leaves the scope: whoever reads everything again finds it gone.
                try await saves(WireSample.record("a", type: Self.clientType, more: Self.app("bank")))
                #expect(try await stream.next()?.name == "ready")
                try await saves(WireSample.record("a", type: Self.clientType, more: Self.app("shop")))
                #expect(try await stream.next()?.data == clientChange)
            }
        }
    }

    @Test("An open stream of events follows a client that enters the scope, and leaves one that is no longer in it")
    func stream() async throws {
        try await RelayBench.run(.live) { relay async throws -> Void in
            let port = try #require(relay.client.port)
            let admin = try await token(relay, nil)
            let scoped = try await token(relay, .init(apps: ["shop"], clients: ["a*"]), role: .reader)
            func append(_ id: String, _ client: String) async throws {
                _ = try await relay.post("/v1/events", WireSample.batch(WireSample.event(id, client: client)), as: admin)
            }
            func moves(_ client: String, to app: String) async throws {
                _ = try await relay.post("/v1/records", Self.client(client, client, more: Self.app(app)), as: admin)
            }
            try await StreamLines.open(
                port: port, "/v1/events/stream", headers: scoped.headers.map { ($0.name.rawName, $0.value) }
            ) { stream async throws -> Void in
                for (client, app) in [("a1", "bank"), ("a2", "shop"), ("b", "shop")] { try await moves(client, to: app) }
                for (id, client) in [("1", "a1"), ("2", "b"), ("3", "a2")] { try await append(id, client) }
                #expect(try await stream.next()?.data?.contains(#""eventId":"3""#) == true)
                try await moves("a1", to: "shop")
                try await moves("a2", to: "bank")
                for (id, client) in [("4", "a2"), ("5", "a1")] { try await append(id, client) }
                #expect(try await stream.next()?.data?.contains(#""eventId":"5""#) == true)
            }
        }
    }

    @Test("Many clients of an app: pages, counts, sessions and records", arguments: [3, 65, 501])
    func manyClients(count: Int) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let admin = try await token(relay, nil)
            let scoped = try await token(relay, .init(apps: ["shop"]))
            for number in 0..<count {
                for (app, client) in [("shop", "s\(number)"), ("bank", "b\(number)")] {
                    _ = try await relay.post("/v1/records", Self.client(client, client, more: Self.app(app)), as: admin)
                }
            }
            let events = (0..<count).flatMap { number in
                ["s\(number)", "b\(number)"].map { WireSample.event("\($0)", client: $0) }
            }
            _ = try await relay.post("/v1/events", #"{"events":[\#(events.joined(separator: ","))]}"#, as: admin)
            let seen = try await relay.get("/v1/events?limit=1000", as: scoped).list.compactMap { $0["eventId"] as? String }
            #expect(seen == (0..<count).map { "s\($0)" })
            #expect(try await relay.get("/v1/events?limit=1000&session=s&order=desc", as: scoped).list.count == count)
            #expect(try await relay.get("/v1/events/count", as: scoped)["count"] as? Int == count)
            let query = #"{"recordType":"TelemetryClient","conditions":{}}"#
            #expect(try await relay.post("/v1/records/query", query, as: scoped).records.count == count)
        }
    }

    @Test(
        "A name of more than 64 bytes is matched by a star alone, and by itself",
        arguments: [("*", true), ("x*", false), ("", false)])
    func longNames(pattern: String, isMatch: Bool) {
        let name = String(repeating: "x", count: 65)
        #expect([NamePattern(pattern)].admits(name) == isMatch)
        #expect([NamePattern(name)].admits(name))
        #expect(![NamePattern(name)].admits(name + "x"))
        // One spelling of the same string is as good as another.
        #expect([NamePattern("caf\u{e9}*")].admits("cafe\u{301}s") && [NamePattern("Kiosk")].admits("\u{212A}iosk"))
    }
}
