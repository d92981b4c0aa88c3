import Foundation
import HTTPTypes
import HummingbirdTesting
import TelemetryModels
import Testing

@testable import TelemetryRelay

/// `/v1/alerts`.
struct AlertRoutesTests {
    private static let body = #"{"query":"name:x","webhook":"hook"}"#

    private static func run(_ test: @escaping @Sendable (RelayBench) async throws -> Void) async throws {
        try await RelayBench.run { relay async throws -> Void in
            _ = try await RelayWebhooks(storage: relay.storage.webhooks).add("hook", url: "http://127.0.0.1:1")
            try await test(relay)
        }
    }

    private static func names(_ relay: RelayBench, as caller: TestCaller) async throws -> [String] {
        let answer = try await relay.get("/v1/alerts", as: caller)
        return (answer["alerts"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
    }

    @Test("An alert is saved, listed with its defaults, changed, tested and deleted; the audit says who did it")
    func alerts() async throws {
        try await Self.run { relay async throws -> Void in
            let anna = TestCaller.bearing(try await relay.token(.viewer, name: "anna"))
            #expect(try await relay.send(.put, "/v1/alerts/a%20b", Self.body, as: anna).status == .noContent)
            let alert = try #require((try await relay.get("/v1/alerts", as: anna)["alerts"] as? [[String: Any]])?.first)
            #expect(alert["name"] as? String == "a b" && alert["query"] as? String == "name:x")
            #expect(alert["webhook"] as? String == "hook" && alert["owner"] as? String == "anna")
            #expect(["count", "within", "quiet"].map { alert[$0] as? Int } == [1, 60, 3_600])
            #expect(alert["isEnabled"] as? Bool == true)
            let changed = #"{"query":"name:y","count":5,"within":10,"webhook":"hook","quiet":1,"isEnabled":false}"#
            #expect(try await relay.send(.put, "/v1/alerts/a%20b", changed, as: anna).status == .noContent)
            let later = try #require((try await relay.get("/v1/alerts", as: anna)["alerts"] as? [[String: Any]])?.first)
            #expect(later["query"] as? String == "name:y" && later["isEnabled"] as? Bool == false)
            #expect(["count", "within", "quiet"].map { later[$0] as? Int } == [5, 10, 1])
            #expect(try await relay.send(.post, "/v1/alerts/a%20b/test", nil, as: anna).status == .accepted)
            // The relay tries to send it, too.
            let rows = try await #require(relay.storage.tables).database.rows("SELECT body FROM delivery", [])
            #expect(try String(decoding: #require(rows.first).bytes(0), as: UTF8.self).hasPrefix(#"{"alert":"a b","firedAt":""#))
            #expect(try await relay.send(.delete, "/v1/alerts/a%20b", nil, as: anna).status == .noContent)
            #expect(try await relay.send(.delete, "/v1/alerts/a%20b", nil, as: anna).status == .notFound)
            #expect(try await relay.send(.post, "/v1/alerts/a%20b/test", nil, as: anna).status == .notFound)
            let entries = try await relay.storage.audit.page(matching: .init(), after: nil, limit: 100, order: .ascending).entries
            let alerts = entries.filter { $0.entry.action.rawValue.hasPrefix("alert.") }
            #expect(alerts.map(\.entry.actor.token) == ["anna", "anna", "anna", "anna"])
            #expect(
                alerts.map { "\($0.entry.action.rawValue) \($0.entry.detail)" } == [
                    #"alert.save "a b" query=name:x count=1 within=60 webhook=hook"#,
                    #"alert.save "a b" query=name:y count=5 within=10 webhook=hook isEnabled=false"#,
                    #"alert.test "a b""#, #"alert.delete "a b""#,
                ])
        }
    }

    @Test(
        "What is not an alert is a 400 that says why",
        arguments: [
            ("{}", "webhook is missing"), (#"{"query":"x"}"#, "webhook is missing"),
            (#"{"query":"x | count()","webhook":"hook"}"#, "query"),
            (#"{"query":"x | limit 1","webhook":"hook"}"#, "without pipes"),
            (#"{"query":"(","webhook":"hook"}"#, "query"), (#"{"query":"x","webhook":"other"}"#, "no webhook \"other\""),
            (#"{"query":"x","webhook":"hook","count":0}"#, "count must be"),
            (#"{"query":"x","webhook":"hook","count":1001}"#, "count must be"),
            (#"{"query":"x","webhook":"hook","within":86401}"#, "within must be"),
            (#"{"query":"x","webhook":"hook","quiet":0}"#, "quiet must be"),
            (#"{"query":"x","webhook":"hook","isEnabled":1}"#, "isEnabled must be"),
            (#"{"webhook":"hook"}"#, "query or silence is missing"),
            (#"{"silence":600}"#, "webhook is missing"), (#"{"silence":0,"webhook":"hook"}"#, "silence must be"),
            (#"{"silence":2592001,"webhook":"hook"}"#, "silence must be"),
            (#"{"silence":600,"query":"x","webhook":"hook"}"#, "either query or silence"),
            (#"{"query":"x","clients":"*","webhook":"hook"}"#, "clients is for silence"),
            (#"{"silence":600,"clients":"","webhook":"hook"}"#, "clients must have"),
            (#"{"silence":600,"clients":1,"webhook":"hook"}"#, "clients"), ("[]", "object"),
        ])
    func malformed(body: String, reason: String) async throws {
        try await Self.run { relay async throws -> Void in
            let answer = try await relay.send(.put, "/v1/alerts/a", body)
            #expect(answer.status == .badRequest && (answer["detail"] as? String)?.contains(reason) == true, "\(answer.text)")
            #expect(try await relay.storage.alerts.all().alerts.isEmpty)
        }
    }

    @Test("An alert about silence is saved and listed; all clients unless it names some")
    func silence() async throws {
        try await Self.run { relay async throws -> Void in
            let viewer = TestCaller.bearing(try await relay.token(.viewer))
            let reader = TestCaller.bearing(try await relay.token(.reader))
            let some = #"{"silence":600,"clients":"web-*","webhook":"hook","quiet":60}"#
            #expect(try await relay.send(.put, "/v1/alerts/some", some, as: viewer).status == .noContent)
            #expect(
                try await relay.send(.put, "/v1/alerts/all", #"{"silence":1,"webhook":"hook"}"#, as: viewer).status == .noContent)
            let alerts = try #require(try await relay.get("/v1/alerts", as: viewer)["alerts"] as? [[String: Any]])
            #expect(alerts.map { $0["silence"] as? Int } == [1, 600])
            #expect(alerts.map { $0["clients"] as? String } == ["*", "web-*"])
            #expect(alerts.map { $0["quiet"] as? Int } == [3_600, 60])
            #expect(alerts.allSatisfy { $0["query"] == nil && $0["count"] == nil && $0["within"] == nil })
            let entries = try await relay.storage.audit.page(matching: .init(), after: nil, limit: 100, order: .ascending).entries
            #expect(
                entries.filter { $0.entry.action == .saveAlert }.map(\.entry.detail)
                    == ["some silence=600 clients=web-* webhook=hook", "all silence=1 clients=* webhook=hook"])
            let features = try await relay.get("/v1/server", as: viewer)["features"] as? [String]
            #expect(features?.contains("alerts") == true)
            // Who adds an alert has to know the webhooks.
            #expect(try await relay.get("/v1/alerts", as: viewer)["webhooks"] as? [String] == ["hook"])
            let list = try await relay.get("/v1/alerts", as: reader)
            #expect(list.status == .ok && list["webhooks"] == nil)
        }
    }

    @Test("Names of alerts are printable, and there are at most a hundred")
    func limits() async throws {
        try await Self.run { relay async throws -> Void in
            for name in ["%0A", String(repeating: "n", count: 201)] {
                #expect(try await relay.send(.put, "/v1/alerts/\(name)", Self.body).status == .badRequest)
            }
            for number in 1...RelayAlert.maximum {
                #expect(try await relay.send(.put, "/v1/alerts/\(number)", Self.body).status == .noContent)
            }
            #expect(try await relay.send(.put, "/v1/alerts/x", Self.body).status == .badRequest)
            #expect(try await relay.send(.put, "/v1/alerts/1", Self.body).status == .noContent)
        }
    }

    @Test("A token with a scope sees and changes its own alerts alone, which keep its scope when others change them")
    func scopes() async throws {
        try await Self.run { relay async throws -> Void in
            let tokens = RelayTokens(storage: relay.storage.tokens)
            func caller(_ name: String, _ scope: RelayScope?) async throws -> TestCaller {
                .bearing(try await tokens.create(role: .viewer, name: name, scope: scope))
            }
            let admin = try await caller("admin", nil)
            let net = try await caller("net", RelayScope(scenarios: ["Net*"]))
            let web = try await caller("web", RelayScope(clients: ["web-*"]))
            for (name, caller) in [("a", admin), ("n", net), ("w", web)] {
                #expect(try await relay.send(.put, "/v1/alerts/\(name)", Self.body, as: caller).status == .noContent)
            }
            #expect(try await Self.names(relay, as: admin) == ["a", "n", "w"])
            #expect(try await Self.names(relay, as: net) == ["n"])
            #expect(try await Self.names(relay, as: web) == ["w"])
            for name in ["a", "w"] {
                #expect(try await relay.send(.put, "/v1/alerts/\(name)", Self.body, as: net).status == .conflict)
                #expect(try await relay.send(.delete, "/v1/alerts/\(name)", nil, as: net).status == .notFound)
                #expect(try await relay.send(.post, "/v1/alerts/\(name)/test", nil, as: net).status == .notFound)
            }
            #expect(
                try await relay.send(.put, "/v1/alerts/n", #"{"query":"z","webhook":"hook"}"#, as: admin).status == .noContent)
            let alert = try #require(try await relay.storage.alerts.all().alerts.first { $0.name == "n" })
            #expect(
                alert.scope == RelayScope(scenarios: ["Net*"]) && alert.owner == "net" && alert.events?.query.description == "z")
            #expect(try await Self.names(relay, as: net) == ["n"])
            for number in 2...RelayAlert.maximumOfScope {
                #expect(try await relay.send(.put, "/v1/alerts/n\(number)", Self.body, as: net).status == .noContent)
            }
            let refused = try await relay.send(.put, "/v1/alerts/n99", Self.body, as: net)
            #expect(refused.status == .badRequest && (refused["detail"] as? String)?.contains("at most 10") == true)
        }
    }

    @Test("Tests leave places for other messages")
    func tests() async throws {
        try await Self.run { relay async throws -> Void in
            #expect(try await relay.send(.put, "/v1/alerts/a", Self.body).status == .noContent)
            for _ in 1...RelayDelivery.maximumTests {
                #expect(try await relay.send(.post, "/v1/alerts/a/test", nil).status == .accepted)
            }
            #expect(try await relay.send(.post, "/v1/alerts/a/test", nil).status == .contentTooLarge)
        }
    }
}
