import Foundation
import HTTPTypes
import HummingbirdTesting
import TelemetryModels
import Testing

@testable import TelemetryRelay

/// The fields with which the relay records who approved a client by its record.
struct ApprovalTests {
    private static func client(_ more: String, client: String = "a") -> String {
        WireSample.save("overwrite", WireSample.record("c", type: "TelemetryClient", client: client, more: more))
    }

    private static let forged = #","approvedBy":"forged","approved":{"date":"2020-01-01T00:00:00Z"}"#

    /// Who approved the client, and "now" if it was within the last minute.
    private static func approval(_ relay: RelayBench) async throws -> [String?] {
        let record = try #require(try await relay.storage.records.record(named: "c")).record
        let date = record["approved"]?.dateValue
        return [record["approvedBy"]?.stringValue, date.map { abs($0.timeIntervalSinceNow) < 60 ? "now" : "\($0)" }]
    }

    @Test("A save that approves a client gets the token's name and the time, whatever it names", arguments: [true, false])
    func viewer(isScoped: Bool) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let tokens = RelayTokens(storage: relay.storage.tokens)
            let scope = isScoped ? RelayScope(clients: ["a", "b"]) : nil
            let anna = TestCaller.bearing(try await tokens.create(role: .viewer, name: "anna", scope: scope))
            let bob = TestCaller.bearing(try await tokens.create(role: .viewer, name: "bob", scope: scope))
            // A token with a scope makes no record of a client.
            let admin = TestCaller.bearing(try await tokens.create(role: .viewer, name: "admin"))
            _ = try await relay.post("/v1/records", Self.client(#","isEnabled":false"#), as: admin)
            func save(_ more: String, client: String = "a", as caller: TestCaller) async throws -> [String?] {
                let saved = try await relay.post("/v1/records", Self.client(more + Self.forged, client: client), as: caller)
                #expect(saved.status == .ok)
                return try await Self.approval(relay)
            }
            #expect(try await save(#","isEnabled":false"#, as: anna) == [nil, nil])
            #expect(try await save(#","isEnabled":true"#, as: anna) == ["anna", "now"])
            #expect(try await save(#","isEnabled":1"#, as: bob) == ["anna", "now"], "it was approved before")
            if !isScoped {
                #expect(try await save(#","isEnabled":true"#, client: "b", as: bob) == ["bob", "now"], "another client")
                #expect(try await save(#","isEnabled":true"#, as: anna) == ["anna", "now"])
            }
            #expect(try await save(#","isEnabled":0"#, as: bob) == [nil, nil])
            #expect(try await save(#","isEnabled":true"#, as: bob) == ["bob", "now"])
        }
    }

    @Test("A host's save keeps who approved the client, and cannot write it")
    func host() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let viewer = TestCaller.bearing(try await relay.token(.viewer, name: "anna"))
            let host = TestCaller.host("a", token: try await relay.token(.host))
            func save(_ more: String, as caller: TestCaller) async throws -> [String?] {
                #expect(try await relay.post("/v1/records", Self.client(more), as: caller).status == .ok)
                return try await Self.approval(relay)
            }
            #expect(try await save(#","isEnabled":true"# + Self.forged, as: host) == [nil, nil], "as after a command")
            #expect(try await save(#","isEnabled":false"#, as: host) == [nil, nil])
            #expect(try await save(#","isEnabled":true"#, as: viewer) == ["anna", "now"])
            #expect(try await save(#","isEnabled":true,"appVersion":"2""# + Self.forged, as: host) == ["anna", "now"])
            #expect(try await save(#","isEnabled":true"#, as: host) == ["anna", "now"])
        }
    }
}
