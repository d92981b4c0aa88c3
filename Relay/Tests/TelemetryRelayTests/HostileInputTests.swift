import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import HummingbirdTesting
@_spi(Tooling) import TelemetryModels
import Testing

@testable import TelemetryRelay

/// Malicious requests and damaged files.
struct HostileInputTests {
    @Test(
        "A page stays within its size limit but has at least one entry", arguments: StorageDriver.all)
    func pageOfBytes(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let sizes = [3, 3, 3, 20, 1, 1]
            for (number, size) in sizes.enumerated() {
                let text = String(repeating: "x", count: size << 20)
                _ = try await storage.debugLogs.store([Bench.entry(number, payload: ["text": .string(text)])])
            }
            for isDescending in [false, true] {
                var query = DebugLogQuery()
                query.isDescending = isDescending
                var pages: [[String]] = []
                while true {
                    let page = try await storage.debugLogs.page(of: query)
                    pages.append(page.entries.map(\.event))
                    query.cursor = page.cursor
                    if !page.hasMore { break }
                }
                #expect(
                    pages
                        == (isDescending ? [["5", "4"], ["3"], ["2", "1"], ["0"]] : [["0", "1"], ["2"], ["3"], ["4", "5"]]))
            }
        }
    }

    @Test(
        "A damaged entry in the file is skipped and counted; the others are returned",
        arguments: [
            "id = 'x'", "id = x'00'", "correlation_id = 7", "timestamp = 9e999", "timestamp = 1e300", "timestamp = 'x'",
            "source = 'tv'", "level = x'FF'", "payload = '[]'", "payload = x'FF'", "payload = '{\"a\":1e999}'", "device_id = 'x'",
            "session_id = x''", "event = x'00'",
        ])
    func damagedRow(change: String) async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        _ = try await storage.debugLogs.store((1...3).map { Bench.entry($0) })
        try await storage.database.writer.write { try $0.execute(sql: "UPDATE debug_log SET \(change) WHERE number = 2") }
        let page = try await storage.debugLogs.page(of: DebugLogQuery())
        #expect(page.entries.map(\.event) == ["1", "3"])
        #expect(!page.hasMore)
        #expect(try await storage.usage().debugLogs.unreadable == 1)
        // A page that has only the damaged entry is not the last one.
        var query = DebugLogQuery()
        (query.limit, query.cursor) = (1, 1)
        let damaged = try await storage.debugLogs.page(of: query)
        #expect(damaged.entries.isEmpty && damaged.hasMore)
        query.cursor = damaged.cursor
        #expect(try await storage.debugLogs.page(of: query).entries.map(\.event) == ["3"])
        try await storage.close()
    }

    @Test(
        "Extreme numbers in the file do not crash the relay",
        arguments: [[Int64.max], [Int64.min, Int64.max], [Int64.min], [-5, 5], [Int64.min, 0, Int64.max]])
    func extremeNumbers(numbers: [Int64]) async throws {
        var configuration = RelayStorageConfiguration()
        configuration.debugLogs = .init(entries: 2, bytes: 1, age: 3600)
        let storage = try SQLiteRelayStorage(inMemory: configuration)
        try await storage.database.writer.write { db in
            for number in numbers {
                try db.execute(
                    sql: "INSERT INTO debug_log VALUES (?, ?, ?, ?, NULL, 0, 'ios', 'info', 'e', '{}', 0, 1)",
                    arguments: [number, UUID(), UUID(), UUID()])
            }
        }
        _ = try await storage.debugLogs.page(of: DebugLogQuery())
        try await storage.expire()
        _ = try await storage.debugLogs.store([Bench.entry(1)])
        _ = try await storage.debugLogEvents()
        try await storage.close()
    }

    @Test("Extreme sizes in the file do not crash the relay", arguments: [Int64.max, Int64.min])
    func extremeSizes(size: Int64) async throws {
        var configuration = RelayStorageConfiguration()
        configuration.debugLogs.bytes = 500
        let storage = try SQLiteRelayStorage(inMemory: configuration)
        _ = try await storage.debugLogs.store([Bench.entry(1)])
        try await storage.database.writer.write { try $0.execute(sql: "UPDATE debug_log SET size = \(size)") }
        _ = try await storage.debugLogs.store([Bench.entry(2)])
        _ = try await storage.debugLogs.store([Bench.entry(3)])
        #expect(try await storage.debugLogEvents().last == "3")
        try await storage.close()
    }

    @Test("A search text longer than an event's name can be is a 400", arguments: ["text", "event"])
    func longText(name: String) async throws {
        try await Bench.run { client async throws -> Void in
            let longest = String(repeating: "%25", count: 1024)
            #expect(try await client.get("/debug/logs?\(name)=\(longest)").status == .ok)
            #expect(try await client.get("/debug/logs?\(name)=\(longest)x").status == .badRequest)
        }
    }

    @Test("A reason is short and contains no characters that affect a terminal")
    func reasons() async throws {
        let good = String(decoding: try JSONEncoder().encode(Bench.entry(1)), as: UTF8.self)
        let bad = [
            good.replacing("{}", with: #"{"\u001b]0;title\u0007\u202e\u009b\n":1e400}"#),
            good.replacing("\"info\"", with: "\"e\(String(repeating: "\u{301}", count: 10_000))\""),
        ]
        try await Bench.run { client in
            let answer = try await client.post(#"{"entries":["# + bad.joined(separator: ",") + "]}")
            let receipt = try JSONDecoder().decode(DebugLogReceipt.self, from: Data(answer.body.utf8))
            #expect(receipt.rejected.count == 2)
            for refusal in receipt.rejected {
                #expect(refusal.reason.utf8.count < 1500)
                #expect(
                    refusal.reason.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) })
            }
        }
    }

    @Test("Values that are nested too deeply reject only their entry", arguments: ["[", #"{"a":"#])
    func depth(opening: String) async throws {
        let good = String(decoding: try JSONEncoder().encode(Bench.entry(1)), as: UTF8.self)
        @Sendable func nested(_ depth: Int) -> String {
            let closing = opening == "[" ? "]" : "}"
            let value = String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
            return good.replacing("{}", with: "{\"n\":\(value)}")
        }
        try await Bench.run { client in
            let deepest = try await client.post(#"{"entries":["# + nested(64) + "]}")
            #expect(deepest.status == .ok)
            let answer = try await client.post(#"{"entries":["# + [nested(65), good, nested(400)].joined(separator: ",") + "]}")
            let receipt = try JSONDecoder().decode(DebugLogReceipt.self, from: Data(answer.body.utf8))
            #expect(receipt.rejected.map(\.index) == [0, 2])
            #expect(receipt.duplicates == 1)
            #expect(receipt.rejected.allSatisfy { $0.reason.hasSuffix("values are nested deeper than 64") })
            #expect(try await client.post(#"{"entries":["# + nested(100_000) + "]}").status == .badRequest)
        }
    }

    @Test(
        "Without a token, a cross-site request is a 403 and stores nothing",
        arguments: [
            (["Origin: https://evil.example"], false), (["Origin: null"], false), (["Origin: http://localhost:3000"], false),
            (["Sec-Fetch-Site: cross-site"], false), (["Sec-Fetch-Site: same-site"], false),
            (["Origin: http://localhost"], true), (["Sec-Fetch-Site: none"], true), ([], true),
            (["Sec-Fetch-Site: same-origin", "Origin: http://localhost"], true),
            (["Sec-Fetch-Site: same-origin", "Origin: http://localhost", "Origin: http://localhost:3000"], false),
        ] as [([String], Bool)])
    func otherSite(headers: [String], isAllowed: Bool) async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        var fields: HTTPFields = [:]
        for header in headers {
            let parts = header.components(separatedBy: ": ")
            fields.append(HTTPField(name: try #require(HTTPField.Name(parts[0])), value: parts[1]))
        }
        let request = fields
        try await Bench.run(storage) { client in
            let body = try Bench.body([Bench.entry(1)])
            try await client.execute(
                uri: "/debug/logs", method: .post, headers: request, body: ByteBuffer(string: body)
            ) { #expect($0.status == (isAllowed ? .ok : .forbidden)) }
        }
        #expect(try await storage.debugLogCount() == (isAllowed ? 1 : 0))
    }
}
