import Foundation
import GRDB
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// Which blocks are read for a word.
struct BlockWordsTests {
    /// Three sessions of ten events, with words of their own.
    private static let stored: [TelemetryEvent] = (0..<30).map { number in
        let session = number % 3
        let status = TelemetryValue.int(Int64(500 + session))
        return TelemetryEvent(
            eventId: "e\(number)", clientId: "c", sessionId: "s\(session)", name: "request.done",
            timestamp: Date(timeIntervalSince1970: TimeInterval(1_000 + number)), threadId: "t",
            property1: "Caf\u{e9} " + ["alpha", "beta", "gamma"][session],
            attributes: ["status": status, "user": .string("user-\(number)")])
    }

    /// Opens a storage in which each session is a block.
    private static func open(
        _ driver: StorageDriver, merged: Bool = true, _ body: (any RelayStorage) async throws -> Void
    ) async throws {
        try await StorageBench.open(driver) { storage in
            _ = try await storage.events.append(WireEventLines.read(EventLines.encode(stored), limits: .init()))
            if merged { try await #require(storage.tables).events.merge(after: 0) }
            try await body(storage)
        }
    }

    /// What a query finds, and how many blocks are read for it.
    private static func result(
        of query: TelemetryQuery, matching filter: RelayEventFilter = .all, in storage: any RelayStorage
    ) async throws -> (found: RelayQueryResult, read: Int) {
        try await #require(storage.tables).database.read { db in
            let evaluation = BlockEvaluation(query, matching: filter, now: Date(), limit: 100, byteLimit: .max)
            var read = 0
            let found = try evaluation.result(db, in: 1..<31) { blocks in
                read += blocks.count
                return try BlockCache().texts(of: blocks, in: StoreIdentity(rawValue: "a"), db)
            }
            return (found, read)
        }
    }

    /// The events of a filter in an order, their number, and how many blocks are read for each.
    private static func events(
        matching filter: RelayEventFilter, _ order: RelayEventOrder, in storage: any RelayStorage
    ) async throws -> (numbers: [Int64], read: Int, count: Int, readForCount: Int) {
        try await #require(storage.tables).database.read { db in
            var read = 0
            let reader = BlockReader(db, EventSelection(filter)) { block in
                read += 1
                return try block.text(db)
            }
            let numbers = try reader.events(in: 1...30, order, limit: 100).events.map(\.entry.number)
            let readForEvents = read
            let count = try reader.count(in: 1...30)
            return (numbers, readForEvents, count, read - readForEvents)
        }
    }

    @Test(
        "Only blocks with a query's words are read", arguments: StorageDriver.all,
        [
            ("alpha", 1), ("none", 0), ("CAF\u{c9} beta", 1), ("\"caf\u{e9} gamma\"", 1), ("\"e gamma\"", 0), ("text:delta", 0),
            ("status:=501.0", 1), ("user:=user-7", 1), ("user:=\"user-30\"", 0), ("alpha or beta", 2), ("-alpha", 3), ("alp*", 3),
            ("name:=request.failed", 0), ("request", 3),
        ])
    func words(driver: StorageDriver, query: (text: String, blocks: Int)) async throws {
        try await Self.open(driver) { storage in
            let wanted = try TelemetryQuery(query.text)
            let expected = try wanted.result(over: Self.stored)
            let (found, read) = try await Self.result(of: wanted, in: storage)
            #expect(found.events.map(\.event) == expected.events && found.matched == expected.matched)
            #expect(read == query.blocks)
            let filter = RelayEventFilter(query: wanted)
            let filtered = try await Self.result(of: TelemetryQuery("| stats count()"), matching: filter, in: storage)
            #expect(filtered.found.matched == expected.matched)
            // The events of a block without the word are counted together.
            let uncounted = query.text == "-alpha" ? 1 : query.blocks
            #expect(filtered.read == uncounted)
            for order in [RelayEventOrder.ascending, .descending] {
                let found = try await Self.events(matching: filter, order, in: storage)
                #expect(found.numbers.count == expected.matched && found.count == expected.matched)
                #expect(found.read == query.blocks && found.readForCount == uncounted)
            }
        }
    }

    @Test("The words of a block need at most eight bytes an event, and are part of its size")
    func size() async throws {
        try await Self.open(.memory) { storage in
            try await storage.checkSums()
            let sizes = try await #require(storage.tables).database.read { db in
                try db.rows("SELECT length(words), count FROM event_block").map { (try $0.int(0), try $0.int(1)) }
            }
            #expect(sizes.count == 3 && sizes.allSatisfy { $0 > 5 && $0 <= 8 * $1 })
        }
    }

    @Test("The summary of a block is not read if its words exclude all events")
    func unreadSummary() async throws {
        try await Self.open(.memory) { storage in
            let database = try #require(storage.tables).database
            try await database.write(.events) {
                _ = try $0.execute("UPDATE event_block SET summary = $1", [.bytes(Data("?".utf8))])
            }
            let (absent, present) = (try TelemetryQuery("none"), try TelemetryQuery("alpha"))
            #expect(try await Self.result(of: absent, in: storage).found.matched == 0)
            await #expect(throws: RelayStorageError.self) { try await Self.result(of: present, in: storage) }
            let selection = EventSelection(RelayEventFilter(query: absent))
            let found = try await database.read { db in
                try BlockReader(db, selection) { _ in [] }.events(in: 1...30, .ascending, limit: 9)
            }
            #expect(found.events.isEmpty && found.unreadable.isEmpty)
        }
    }

    @Test("All blocks are read that are not compressed yet")
    func unpacked() async throws {
        try await Self.open(.memory, merged: false) { storage in
            let read = try await Self.result(of: TelemetryQuery("none"), in: storage).read
            #expect(read == 3)
        }
    }

    @Test(
        "A block is read if its words are damaged",
        arguments: ["NULL", "x''", "x'07'", "x'0700000000'", "x'00010000000f'", "x'ff010000000f'", "x'07ffffffff00'"])
    func damage(words: String) async throws {
        try await Self.open(.memory) { storage in
            let storage = try #require(storage as? SQLiteRelayStorage)
            try await storage.database.writer.write { try $0.execute(sql: "UPDATE event_block SET words = \(words)") }
            let (found, read) = try await Self.result(of: TelemetryQuery("alpha"), in: storage)
            #expect(found.matched == 10 && read == 3)
        }
    }

    @Test("A block with an event that cannot be read is compressed without its words")
    func unreadable() async throws {
        try await StorageBench.open(.memory) { storage in
            _ = try await storage.events.append(Sample.events(1...4))
            let tables = try #require(storage.tables)
            try await tables.events.merge(after: 0)
            let rows = try await tables.database.read { try $0.rows("SELECT packed, words FROM event_block") }
            #expect(rows.map(\.values) == [[.int(1), .null]])
        }
    }
}
