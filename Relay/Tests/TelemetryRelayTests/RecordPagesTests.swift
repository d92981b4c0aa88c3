import HTTPTypes
import Testing

@testable import TelemetryRelay

/// The pages of `POST /v1/records/query`.
struct RecordPagesTests {
    /// A query for scenarios with more members.
    private static func query(_ more: String = "") -> String { #"{"recordType":"TelemetryScenario"\#(more)}"# }

    private static func save(_ records: [String], to relay: RelayBench) async throws {
        let body = WireSample.save("overwrite", records.joined(separator: ","))
        #expect(try await relay.post("/v1/records", body).status == .ok)
    }

    private static func names(_ answer: RelayBench.Answer) -> [String] {
        answer.records.compactMap { $0["recordName"] as? String }
    }

    @Test("Without a limit, a page has at most 4 MiB of records and the next one continues after it")
    func bytes() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let text = #","t":"\#(String(repeating: "x", count: 64_000))""#
            for numbers in [100..<140, 140..<180] {
                try await Self.save(numbers.map { WireSample.record("r\($0)", more: text) }, to: relay)
            }
            let first = try await relay.post("/v1/records/query", Self.query())
            #expect(first.text.utf8.count < 4_300_000 && first.records.count == 65)
            #expect(first["hasMore"] as? Bool == true)
            let cursor = try #require(first["cursor"] as? String)
            let second = try await relay.post("/v1/records/query", Self.query(#","after":"\#(cursor)""#))
            #expect(second["hasMore"] as? Bool == false && second.records.count == 15)
            #expect(Self.names(first) + Self.names(second) == (100..<180).map { "r\($0)" })
        }
    }

    @Test("A record that is larger than a page is a page of its own")
    func large() async throws {
        var configuration = RelayConfiguration()
        configuration.limits.recordPageBytes = 1_000
        try await RelayBench.run(configuration: configuration) { relay async throws -> Void in
            let lengths = [("a", 100), ("b", 100), ("c", 2_000), ("d", 100)]
            try await Self.save(
                lengths.map { WireSample.record($0.0, more: #","t":"\#(String(repeating: "x", count: $0.1))""#) }, to: relay)
            var pages: [[String]] = []
            var page = try await relay.post("/v1/records/query", Self.query())
            pages.append(Self.names(page))
            while page["hasMore"] as? Bool == true, pages.count < 9 {
                let cursor = try #require(page["cursor"] as? String)
                page = try await relay.post("/v1/records/query", Self.query(#","after":"\#(cursor)""#))
                pages.append(Self.names(page))
            }
            #expect(pages == [["a", "b"], ["c"], ["d"]])
        }
    }

    @Test("Pages with a limit continue after records that were added, changed and deleted in between")
    func changes() async throws {
        try await RelayBench.run { relay async throws -> Void in
            func record(_ name: String, _ number: Int) -> String { WireSample.record(name, more: #","n":\#(number)"#) }
            func page(after cursor: String?) async throws -> RelayBench.Answer {
                let after = cursor.map { #","after":"\#($0)""# } ?? ""
                return try await relay.post(
                    "/v1/records/query", Self.query(#","sortField":"n","ascending":false,"limit":2\#(after)"#))
            }
            try await Self.save((1...6).map { record("r\($0)", $0) } + [WireSample.record("without")], to: relay)
            let first = try await page(after: nil)
            #expect(Self.names(first) == ["r6", "r5"])
            // The record at the cursor is gone, one before it is new, and one after it moves.
            _ = try await relay.post("/v1/records/delete", #"{"recordNames":["r5"]}"#)
            try await Self.save([record("r9", 9), record("r2", 0)], to: relay)
            let second = try await page(after: first["cursor"] as? String)
            #expect(Self.names(second) == ["r4", "r3"])
            let third = try await page(after: second["cursor"] as? String)
            #expect(Self.names(third) == ["r1", "r2"] && third["hasMore"] as? Bool == true)
            let last = try await page(after: third["cursor"] as? String)
            #expect(Self.names(last) == ["without"] && last["hasMore"] as? Bool == false)
            let end = try await page(after: last["cursor"] as? String)
            #expect(end.records.isEmpty && end["hasMore"] as? Bool == false)
            #expect(end["cursor"] as? String == last["cursor"] as? String)
        }
    }

    @Test(
        "A limit outside its range and a malformed cursor are refused",
        arguments: [
            #""limit":0"#, #""limit":-1"#, #""limit":1001"#, #""limit":1.5"#, #""limit":"1""#, #""limit":99999999999999"#,
            #""after":"""#, #""after":"x""#, #""after":"0100""#, #""after":7"#,
        ])
    func malformed(member: String) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let answer = try await relay.post("/v1/records/query", Self.query("," + member))
            #expect(answer.status == .badRequest && answer.code == "invalidArgument")
        }
    }

    @Test("A host's pages of rules leave out those of other clients")
    func rules() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let rules = [nil, "b", "a", "b", nil].enumerated().map { number, client in
                WireSample.record("\(number)", type: "TelemetryRule", client: client)
            }
            try await Self.save(rules, to: relay)
            let query = #"{"recordType":"TelemetryRule","limit":2"#
            let first = try await relay.post("/v1/records/query", query + "}", as: .host("a"))
            #expect(Self.names(first) == ["0", "2"] && first["hasMore"] as? Bool == true)
            let cursor = try #require(first["cursor"] as? String)
            let second = try await relay.post("/v1/records/query", query + #","after":"\#(cursor)"}"#, as: .host("a"))
            #expect(Self.names(second) == ["4"] && second["hasMore"] as? Bool == false)
        }
    }

    @Test("A record's name and type have at most 16 KiB")
    func names() async throws {
        try await RelayBench.run { relay async throws -> Void in
            for (length, status) in [(16_384, 200), (16_385, 400)] {
                let text = String(repeating: "x", count: length)
                let named = try await relay.post("/v1/records", WireSample.save("overwrite", WireSample.record(text)))
                let typed = try await relay.post("/v1/records", WireSample.save("overwrite", WireSample.record("1", type: text)))
                #expect([named.status.code, typed.status.code] == [status, status])
            }
        }
    }
}
