import GRDB
import Logging
import Testing

@testable import TelemetryRelay

struct UnreadableBlockTests {
    @Test(
        "Pages leave out a block that cannot be read and count its events once; it is logged once, and is merged with no other",
        arguments: ["summary", "entries", "body"], [RelayEventOrder.ascending, .descending])
    func pages(column: String, order: RelayEventOrder) async throws {
        let lines = KeepingLogHandler.Lines()
        var configuration = RelayStorageConfiguration()
        configuration.logger = Logger(label: "test") { _ in KeepingLogHandler(lines) }
        let storage = try SQLiteRelayStorage(inMemory: configuration)
        // The two blocks begin and end in different pages.
        for number in 1...6 { _ = try await storage.events.append([Sample.event(number, session: "s\(number % 2)")]) }
        try await storage.parts.events.merge(after: 0)
        try await storage.database.writer.write { db in
            try db.execute(sql: "UPDATE event_block SET \(column) = x'0102' WHERE first = 2")
        }
        for _ in 1...2 {
            var (texts, skipped): ([String], Int) = ([], 0)
            var cursor: RelayEventCursor?
            var hasMore = true
            while hasMore {
                let page = try await storage.events.page(matching: .all, after: cursor, limit: 1, order: order)
                texts += page.events.map(\.text)
                skipped += page.skipped
                (cursor, hasMore) = (page.cursor, page.hasMore)
            }
            #expect(texts == (order == .ascending ? ["1", "3", "5"] : ["5", "3", "1"]))
            #expect(skipped == 3)
        }
        #expect(try await storage.texts(.init(sessionId: "s1")) == ["1", "3", "5"])
        for number in 7...8 { _ = try await storage.events.append([Sample.event(number, session: "s0")]) }
        try await storage.parts.events.merge(after: 0)
        #expect(try await storage.texts() == ["1", "3", "5", "7", "8"])
        #expect(lines.all.count { $0.contains("cannot be read") } == 1, "\(lines.text)")
        #expect(try await storage.events.delete(matching: .all) == 8)
        #expect(try await storage.page(after: nil).skipped == 0)
        try await storage.close()
    }
}
