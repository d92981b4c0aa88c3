import Foundation
import GRDB
import HTTPTypes
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

/// Debug logs on a full disk, and after the relay is killed.
struct DurabilityTests {
    private let directory = TemporaryDirectory()
    private var file: URL { directory.url.appending(path: "relay.sqlite") }

    static func entries(_ range: ClosedRange<Int>) -> [DebugLog] {
        range.map { Bench.entry($0, payload: ["text": .string(String(repeating: "x", count: 1000))]) }
    }

    @Test(
        "A full disk is a 503 that stores nothing; with space again, the same batch is stored", arguments: [0, 1, 5, 13])
    func fullDisk(pages: Int) async throws {
        let storage = try SQLiteRelayStorage(file: file)
        let writer = storage.database.writer
        _ = try await storage.debugLogs.store(Self.entries(1...10))
        let body = try Bench.body(Self.entries(11...60))
        try await Bench.run(storage) { client in
            // Limits the writing connection to this many new pages, which are too few.
            try await writer.write { db in
                let used = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(sql: "PRAGMA max_page_count = \(used + pages)")
            }
            #expect(try await client.post(body).status == .serviceUnavailable)
            let kept = try await client.find("limit=100")
            #expect(kept.entries.map(\.event) == (1...10).map(String.init))
            #expect(kept.newest == "10")
            try await writer.write { try $0.execute(sql: "PRAGMA max_page_count = 100000") }
            #expect(try await client.post(body).body == #"{"duplicates":0,"rejected":[],"stored":50}"#)
        }
        #expect(try await storage.usage().debugLogs.deleted.values.allSatisfy { $0 == 0 })
        try await storage.close()
    }

    @Test("A relay that is killed during a batch keeps every acknowledged batch, and nothing of that one")
    func killed() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [file = file as URL] in
            let storage = try SQLiteRelayStorage(file: file)
            _ = try await storage.debugLogs.store(DurabilityTests.entries(1...10))
            try await storage.database.writer.write {
                try $0.killProcess(afterInsertInto: "debug_log", when: "new.event = '35'")
            }
            _ = try await storage.debugLogs.store(DurabilityTests.entries(11...60))
        }
        let storage = try SQLiteRelayStorage(file: file)
        #expect(try await storage.debugLogEvents() == (1...10).map(String.init))
        #expect(try await storage.debugLogs.store(Self.entries(11...60)) == 50)
        try await storage.close()
    }
}
