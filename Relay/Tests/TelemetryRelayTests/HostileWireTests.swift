import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

/// Malformed and abusive requests.
struct HostileWireTests {
    private static let paths = [
        "/v1/events", "/v1/records", "/v1/records/query", "/v1/records/delete", "/v1/subscriptions/s", "/v1/events/count",
        "/v1/records/x", "/v1/server", "/debug/logs", "/metrics", "/", "/v1", "/v1/events/x/y", "//", "/v1/records/%",
    ]
    private static let methods: [HTTPRequest.Method] = [.get, .post, .put, .delete, .patch, .head, .options]
    private static let bodies = [
        WireSample.batch(WireSample.event("1", more: #","attributes":{"a":{"date":"2026-01-01T00:00:00Z"},"b":[1]}"#)),
        WireSample.save("overwrite", WireSample.record("1", more: #","n":{"double":"nan"}"#)),
        #"{"recordType":"T","conditions":{"a":1},"sortField":"b","ascending":false}"#, #"{"recordNames":["1","2"]}"#,
        #"{"recordType":"T","clientid":"a"}"#,
    ]

    private static func damaged(_ text: String, using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.remove(at: index)
            case 1: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
            case 2: bytes[index] = Array(#"{}[]",:0-9.e\ntu"#.utf8).randomElement(using: &generator) ?? 0
            default: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
            }
        }
        return bytes
    }

    private static let marks = "a" + String(repeating: "\u{301}\u{323}", count: 16)
    private static let encodedMarks = "a" + String(repeating: "%CC%81%CC%A3", count: 16)

    @Test(
        "A name with more than 30 combining characters in a row, which takes long to compare, is refused",
        arguments: [
            ("/v1/events", WireSample.batch(WireSample.event("1", more: #","attributes":{"\#(marks)":1}"#))),
            ("/v1/events", WireSample.batch(WireSample.event("1", more: #","\#(marks)":1"#))),
            ("/v1/events", WireSample.batch(WireSample.event(marks))),
            ("/v1/events", WireSample.batch(WireSample.event("1", client: marks))),
            ("/v1/events", WireSample.batch(WireSample.event("1", more: #","scenario":"\#(marks)""#))),
            ("/v1/records", WireSample.save("overwrite", WireSample.record(marks))),
            ("/v1/records", WireSample.save("overwrite", WireSample.record("1", more: #","\#(marks)":1"#))),
            ("/v1/records", WireSample.save("overwrite", WireSample.record("1", more: #","n":"\#(marks)""#))),
            ("/v1/records", WireSample.save(marks)),
            ("/v1/records/query", #"{"recordType":"T","conditions":{"a":"\#(marks)"}}"#),
            ("/v1/records/delete", #"{"recordNames":["\#(marks)"]}"#),
            ("/debug/logs", #"{"entries":[{"payload":{"\#(marks)":1}}]}"#),
            ("/v1/events?session=\(encodedMarks)", ""), ("/v1/events/count?scenario=\(encodedMarks)", ""),
            ("/v1/records/\(encodedMarks)", ""), ("/debug/logs?text=\(encodedMarks)", ""),
            ("/debug/logs?\(encodedMarks)=a", ""),
        ])
    func combining(path: String, body: String) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let answer = try await body.isEmpty ? relay.get(path) : relay.post(path, body)
            #expect(answer.status == .badRequest)
            #expect(answer.text.contains("more than 30 combining characters in a row"))
        }
    }

    @Test("What a user wrote is stored whatever it contains")
    func freeText() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let texts = #""property1":"\#(Self.marks)","deviceName":"\#(Self.marks)","attributes":{"a":"\#(Self.marks)"}"#
            let event = WireSample.event("1", more: ",\(texts)")
            #expect(try await relay.post("/v1/events", WireSample.batch(event)).status == .ok)
            let text = try await relay.get("/v1/events").text
            #expect(text.utf8.split(separator: Array(Self.marks.utf8)).count == 4)
        }
    }

    @Test("Thousands of damaged requests get a response, none with a server error", arguments: [false, true])
    func damagedRequests(isHost: Bool) async throws {
        let seed = ProcessInfo.processInfo.environment["RELAY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
        try await RelayBench.run { relay async throws -> Void in
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<2_000 {
                let path = Self.paths.randomElement(using: &generator) ?? "/"
                let query = String(
                    decoding: Self.damaged("?client=a&limit=5&since=2026-01-01T00:00:00Z&order=desc", using: &generator),
                    as: UTF8.self)
                let method = Self.methods.randomElement(using: &generator) ?? .get
                var headers = isHost ? TestCaller.host("a").headers : [:]
                headers[.contentType] = "application/json"
                if Bool.random(using: &generator) {
                    headers[.contentEncoding] = ["gzip", "identity", "br"].randomElement(using: &generator)
                }
                let body = Self.damaged(Self.bodies.randomElement(using: &generator) ?? "", using: &generator)
                let isAsked = Bool.random(using: &generator) && query.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                let status = try await relay.client.execute(
                    uri: path + (isAsked ? query : ""), method: method, headers: headers, body: ByteBuffer(bytes: body)
                ) { $0.status.code }
                #expect(
                    status < 500,
                    "seed \(seed): \(method) \(path)\(isAsked ? query : "") \(String(decoding: body, as: UTF8.self))")
            }
        }
    }

    @Test("Deeply nested, repetitive or very long bodies are refused or stored in linear time", .timeLimit(.minutes(10)))
    func amplification() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let million = 1 << 20
            let names = (0..<100_000).map { "\"k\($0 % 10)\":1" }.joined(separator: ",")
            let bodies = [
                String(repeating: "[", count: 4 * million), String(repeating: #"{"a":"#, count: million / 2),
                #"{"events":[\#(String(repeating: "[],", count: million))[]]}"#,
                #"{"x":[\#(String(repeating: "1,", count: million))1],"events":[]}"#,
                WireSample.batch(WireSample.event("1", more: #","attributes":{\#(names)}"#)),
                WireSample.batch(WireSample.event("2", more: #","property1":"\#(String(repeating: "\\n", count: million))""#)),
            ]
            for body in bodies { #expect([200, 400].contains(try await relay.post("/v1/events", body).status.code)) }
        }
    }
}
