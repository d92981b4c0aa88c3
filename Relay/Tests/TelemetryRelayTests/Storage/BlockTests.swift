import Foundation
import GRDB
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
@_spi(Tooling) import TelemetryTransport
import Testing

@testable import TelemetryRelay

/// How blocks are encoded, merged and replaced.
struct BlockTests {
    private let directory = TemporaryDirectory()
    private var file: URL { directory.url.appending(path: "relay.sqlite") }

    private static func entry(
        _ number: Int64, _ time: RelayTime, cell: Int = 0, identity: Int64 = 1, header: Int? = nil, length: Int = 1
    ) -> BlockEntry {
        BlockEntry(number: number, cell: cell, time: time, identity: identity, header: header, length: length)
    }

    private static let samples: [[BlockEntry]] = [
        [],
        [entry(1, RelayTime(seconds: 0))],
        (1...300).map { entry($0 * $0, RelayTime(seconds: -$0, nanoseconds: 1_000_000), cell: Int($0) % 3, identity: $0 % 7) },
        (1...300).map { entry($0, RelayTime(seconds: $0), header: $0 % 9 == 1 ? Int($0) * 40 : nil, length: Int($0)) },
        [
            entry(1, RelayTime(seconds: -62_135_596_800, nanoseconds: 999_999_999), identity: .max),
            entry(
                .max - 1, RelayTime(seconds: 253_402_300_799, nanoseconds: 1), cell: 2, identity: 1, header: Int(Int32.max),
                length: Int(Int32.max)),
        ],
    ]

    @Test("Entries are read as they were written", arguments: samples)
    func entries(entries: [BlockEntry]) throws {
        #expect(try BlockEntries.decode(BlockEntries.encode(entries), cells: 3) == entries)
    }

    @Test("Damaged entries and summaries are an error or other values, and never end the relay", arguments: 1...20)
    func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for data in Self.samples.map(BlockEntries.encode) {
            for count in 0..<data.count {
                #expect(throws: RelayStorageError.self) { try BlockEntries.decode(data.prefix(count), cells: 3) }
            }
            for _ in 0..<50 where !data.isEmpty {
                var damaged = data
                damaged[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                for entry in (try? BlockEntries.decode(damaged, cells: 3)) ?? [] { #expect((0..<3).contains(entry.cell)) }
                _ = try? BlockSummary(damaged)
            }
        }
    }

    @Test("A summary that ends early is an error or another summary, and never ends the relay")
    func shortSummary() throws {
        var builder = BlockSummary.Builder()
        for name in ["checkout", "cart"] {
            _ = builder.add(.init(level: 0, name: NameKey.data(of: name), scenario: NameKey.data(of: "shop"), severity: nil))
        }
        let data = builder.summary.encoded
        #expect(try BlockSummary(data) == builder.summary)
        for count in 0..<data.count { #expect((try? BlockSummary(data.prefix(count))) != builder.summary, "\(count)") }
    }

    @Test("An identifier is a prefix and a number only if the number has one spelling")
    func identifiers() {
        for (text, number) in [
            ("s-0", 0), ("s-7", 7), ("a-b-120", 120), ("-5", 5), ("\u{e9}-1", 1),
            ("s-999999999999999999", 999_999_999_999_999_999),
        ] {
            #expect(NumberedIdentifier(text).number == Int64(number), "\(text)")
            #expect(
                NumberedIdentifier(text).prefix == NameKey.data(of: String(text.prefix { !"0123456789".contains($0) }.dropLast()))
            )
        }
        for text in ["", "s", "s-", "5", "s5", "s-05", "s-00", "s--", "s-1000000000000000000", "s-5\u{301}", "s-\u{665}"] {
            #expect(NumberedIdentifier(text).number == nil, "\(text)")
        }
    }

    @Test("The identifiers of a session's events are one row, however they arrive in order")
    func intervals() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        func append(_ numbers: ClosedRange<Int>, session: String = "s") async throws -> RelayAppendResult {
            try await storage.events.append(
                numbers.map { number in
                    SampleEvent(
                        clientId: "c", sessionId: session, eventId: "\(session)-\(number)", name: "n",
                        time: RelayTime(seconds: 0), text: "{}")
                })
        }
        func rows() async throws -> [[Int64]] {
            try await storage.database.read { db in
                try db.rows("SELECT first, last, stored FROM event_identity ORDER BY client, first")
                    .map { [try $0.int(0), try $0.int(1), try $0.int(2)] }
            }
        }
        #expect(try await append(1...10).stored == 10)
        #expect(try await append(5...20) == .init(stored: 10, duplicates: 6))
        #expect(try await rows() == [[1, 20, 20]])
        #expect(try await append(30...40).stored == 11)
        #expect(try await append(19...32) == .init(stored: 9, duplicates: 5))
        #expect(try await append(1...41) == .init(stored: 1, duplicates: 40))
        #expect(try await rows() == [[1, 29, 29], [30, 41, 12]])
        // Another session's events with these identifiers are the same for the client.
        #expect(
            try await storage.events.append([
                SampleEvent(
                    clientId: "c", sessionId: "t", eventId: "s-3", name: "n", time: RelayTime(seconds: 0), text: "{}")
            ]).duplicates == 1)
        #expect(try await storage.events.delete(matching: .all) == 41)
        #expect(try await storage.usage().rememberedEvents == 2)
        #expect(try await append(40...42) == .init(stored: 1, duplicates: 2))
        #expect(try await rows() == [[1, 29, 0], [30, 42, 1]])
        #expect(try await storage.usage().rememberedEvents == 1)
        try await storage.close()
    }

    private func block(
        _ id: Int64, _ first: Int64, length: Int, packed: Bool = false, received: Int64 = 0, count: Int = 1
    ) throws -> EventBlock {
        try EventBlock(
            StorageRow(values: [
                .int(id), .int(1), .int(1), .int(first), .int(first + Int64(count) - 1), .init(count), .int(received),
                .int(received), .int(0), .int(0),
                .int(1), .init(length), .int(packed ? 1 : 0), .bytes(Data()), .null, .null,
            ]))
    }

    private func groups(_ blocks: [EventBlock]) -> [[Int64]] {
        BlockMerging(.init(age: 3_000)).groups(blocks).map { $0.blocks.map(\.id) }
    }

    @Test("Blocks are merged up to the limits of a block")
    func limits() throws {
        let half = EventBlock.maximumLength / 2
        #expect(groups(try (1...5).map { try block($0, $0, length: half) }) == [[1, 2], [3, 4], [5]])
        #expect(groups([try block(1, 1, length: 9 * half), try block(2, 2, length: 1)]) == [[1], [2]])
        #expect(groups([try block(1, 1, length: 1), try block(2, BlockCursor.span, length: 1)]) == [[1, 2]])
        #expect(groups([try block(1, 1, length: 1), try block(2, 1 + BlockCursor.span, length: 1)]) == [[1], [2]])
        #expect(groups([try block(1, 1, length: 1), try block(2, 2, length: 1, received: 100_000)]) == [[1, 2]])
        #expect(groups([try block(1, 1, length: 1), try block(2, 2, length: 1, received: 100_001)]) == [[1], [2]])
        let count = EventBlock.maximumCount
        #expect(
            groups([try block(1, 1, length: 1, count: count - 1), try block(2, 2, length: 1), try block(3, 3, length: 1)]) == [
                [1, 2], [3],
            ])
        #expect(groups([]) == [])
    }

    @Test(
        "A row whose numbers no block has is corrupt",
        arguments: [(.min + 1, .max - 1), (-1, 5), (0, 0), (2, 1), (1, 1 + BlockCursor.span), (1, .max)] as [(Int64, Int64)])
    func impossibleNumbers(first: Int64, last: Int64) {
        let numbers: [Int64] = [1, 1, 1, first, last, 1, 0, 0, 0, 0, 1, 1, 0]
        #expect(throws: BlockScanner.malformed) {
            try EventBlock(StorageRow(values: numbers.map(StorageValue.int) + [.bytes(Data()), .null, .null]))
        }
    }

    @Test("A compressed block is compressed again only when it at least doubles")
    func doubling() throws {
        #expect(groups([try block(1, 1, length: 10, packed: true)]) == [])
        #expect(groups([try block(1, 1, length: 10, packed: true), try block(2, 2, length: 9)]) == [[2]])
        #expect(groups([try block(1, 1, length: 10, packed: true), try block(2, 2, length: 11)]) == [[1, 2]])
        let parts = try [8, 4, 2, 1].enumerated().map { try block(Int64($0), Int64($0 + 1), length: $1, packed: true) }
        #expect(groups(parts + [try block(9, 9, length: 2)]) == [[0, 1, 2, 3, 9]])
        #expect(groups(parts + [try block(9, 9, length: 1)]) == [[9]])
        // What precedes a large block is merged for itself.
        let raw = [try block(1, 1, length: 1), try block(2, 2, length: 50, packed: true), try block(3, 3, length: 2)]
        #expect(groups(raw) == [[1], [3]])
    }

    @Test(
        "Random damage is reported or leads to other values; the relay goes on storing, merging and deleting", arguments: 1...12)
    func damagedRows(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        try await StorageBench.open(try #require(StorageDriver.all.first), events: .init(capacity: 60)) { storage in
            let storage = try #require(storage as? SQLiteRelayStorage)
            for round in 0..<20 {
                _ = try await storage.events.append(
                    (0..<8).map { Sample.event(round * 8 + $0, session: "s\(round % 3)", name: "n\($0 % 4)") })
                let column = try #require(["summary", "entries", "body"].randomElement(using: &random))
                let (place, byte) = (Int.random(in: 1...20, using: &random), UInt8.random(in: 0...255, using: &random))
                try await storage.database.writer.write { db in
                    try db.execute(
                        sql: """
                            UPDATE event_block SET \(column) =
                                CAST(substr(\(column), 1, ?1 - 1) || ?2 || substr(\(column), ?1 + 1) AS BLOB)
                            WHERE id = (SELECT MAX(id) FROM event_block) AND length(\(column)) >= ?1
                            """, arguments: [place, Data([byte])])
                }
                if round % 2 == 0 { try? await storage.parts.events.merge(after: 0) }
                if round % 5 == 0 { _ = try? await storage.events.delete(matching: .init(names: ["n1"])) }
                _ = try? await storage.texts()
                _ = try? await storage.events.count(matching: .init(names: ["n2"]))
            }
            #expect(try await storage.events.append(Sample.events(1000...1059)).stored == 60)
            _ = try await storage.events.delete(matching: .all)
            #expect(try await storage.texts() == [])
        }
    }

    @Test("Events of a session are found among many clients with the same session, in both orders", arguments: StorageDriver.all)
    func manySessions(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            _ = try await storage.events.append(
                (1...450).map { Sample.event($0, client: "c\($0 % 225)", session: $0 % 3 == 0 ? "t" : "s") })
            let expected = (1...450).filter { $0 % 3 != 0 }.map(String.init)
            #expect(try await storage.texts(.init(sessionId: "s"), limit: 70) == expected)
            #expect(try await storage.texts(.init(sessionId: "s"), order: .descending, limit: 70) == expected.reversed())
            #expect(try await storage.events.count(matching: .init(sessionId: "s")) == 300)
            #expect(try await storage.events.delete(matching: .init(sessionId: "s")) == 300)
            #expect(try await storage.events.count(matching: .all) == 150)
        }
    }

    /// A database whose writes fail at the commit, or conflict there and are repeated, or are lost later.
    final class FailingDatabase: StorageDatabase {
        let base: SQLiteDatabase
        let failures = Mutex(0)
        let conflicts = Mutex(0)
        let losses = Mutex(0)
        var epoch: Int { losses.withLock(\.self) }

        init(_ base: SQLiteDatabase) { self.base = base }

        func read<Value: Sendable>(_ body: @escaping @Sendable (any StorageConnection) throws -> Value) async throws -> Value {
            try await base.read(body)
        }

        func query<Value: Sendable>(_ body: @escaping @Sendable (any StorageConnection) throws -> Value) async throws -> Value {
            try await base.query(body)
        }

        func rows(_ sql: String, _ values: [StorageValue]) async throws -> [StorageRow] { try await base.rows(sql, values) }

        func write<Value: Sendable>(
            _ part: StoragePart, _ body: @escaping @Sendable (any StorageConnection) throws -> Value,
            done: @escaping @Sendable (Result<Value, any Error>) -> Void
        ) {
            Task {
                do {
                    done(.success(try await attempt(part, body)))
                } catch {
                    done(.failure(error))
                }
            }
        }

        private func attempt<Value: Sendable>(
            _ part: StoragePart, _ body: @escaping @Sendable (any StorageConnection) throws -> Value
        ) async throws -> Value {
            let (fails, conflicts) = (Self.take(failures), Self.take(conflicts))
            do {
                return try await base.write(part) { db in
                    let value = try body(db)
                    if fails || conflicts { throw RelayStorageError.unavailable("the commit failed") }
                    return value
                }
            } catch {
                guard conflicts else { throw error }
                return try await base.write(part, body)
            }
        }

        private static func take(_ count: borrowing Mutex<Int>) -> Bool {
            count.withLock { count in
                defer { count = max(0, count - 1) }
                return count > 0
            }
        }
    }

    @Test("Events are stored for their clients after commits that failed, were repeated or were lost")
    func lostCommits() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        let database = FailingDatabase(storage.database)
        let state = try await database.read { try #require(try DatabaseStores.State.fetch($0)) }
        let events = DatabaseStores(database, state, .init()).events
        database.failures.withLock { $0 = 1 }
        await #expect(throws: RelayStorageError.self) { try await events.append(Sample.events(1...2, client: "a")) }
        _ = try await events.append(Sample.events(1...2, client: "b"))
        _ = try await events.append(Sample.events(1...2, client: "a"))
        func texts(_ client: String) async throws -> [String] {
            try await events.page(matching: .init(clients: [client]), after: nil, limit: 9, order: .ascending).events.map(
                \.text)
        }
        database.conflicts.withLock { $0 = 1 }
        // A client that the transaction creates, after one that the first attempt created.
        _ = try await events.append(Sample.events(1...2, client: "c"))
        for client in ["a", "b", "c"] { #expect(try await texts(client) == ["1", "2"]) }
        // As after a fail-over to a server that does not have the last commits.
        try await storage.database.writer.write { db in
            for table in ["block", "identity", "stream", "client"] { try db.execute(sql: "DELETE FROM event_\(table)") }
        }
        database.losses.withLock { $0 += 1 }
        for client in ["b", "a"] {
            _ = try await events.append(Sample.events(3...4, client: client))
            #expect(try await texts(client) == ["3", "4"])
        }
        try await storage.close()
    }

    @Test("Events of sessions in turns become one block for each session, and keep their order", arguments: StorageDriver.all)
    func turns(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            _ = try await storage.events.append((1...300).map { Sample.event($0, session: "s\($0 % 3)") })
            let blocks = try await #require(storage.tables).database.read { try $0.int("SELECT COUNT(*) FROM event_block") }
            #expect(blocks == 3)
            #expect(try await storage.texts(limit: 70) == (1...300).map(String.init))
            #expect(try await storage.texts(order: .descending, limit: 70) == (1...300).reversed().map(String.init))
            #expect(try await storage.texts(.init(sessionId: "s1")) == (0..<100).map { String($0 * 3 + 1) })
        }
    }

    @Test("A block that is deleted while it is merged stays deleted")
    func deletedWhileMerged() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        for number in 1...3 {
            _ = try await storage.events.append([Sample.event(number, name: "n\(number)"), Sample.event(10 + number)])
        }
        let merging = BlockMerging(.init())
        let (groups, content) = try await storage.database.read { db in
            let groups = try merging.groups(db, unpackedSince: .infinity).groups
            var unreadable: Set<Int64> = []
            return (
                groups,
                try groups.compactMap {
                    try BlockMerging.content($0, db, unreadable: &unreadable)?.encoded(packs: true)
                }
            )
        }
        #expect(groups.count == 1 && content.count == 1)
        #expect(try await storage.events.delete(matching: .init(names: ["n2"])) == 1)
        try await storage.database.write(.events) { db in
            var state = try EventState.fetch(db)
            let before = state
            try BlockMerging.replace(groups[0], by: content[0], db, &state)
            #expect(state.eventBytes == before.eventBytes && state.nextBlock == before.nextBlock)
        }
        #expect(try await storage.texts() == ["1", "11", "12", "3", "13"])
        try await storage.checkSums()
        try await storage.close()
    }

    @Test("Events whose block is merged between the search for it and the deletion are deleted")
    func mergedWhileDeleted() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        for number in 1...3 {
            _ = try await storage.events.append([Sample.event(number), Sample.event(10 + number, name: "gone")])
        }
        let deleted = try await storage.parts.events.delete(matching: .init(names: ["gone"])) {
            try await storage.parts.events.merge(after: 0)
        }
        #expect(deleted == 3)
        #expect(try await storage.texts() == ["1", "2", "3"])
        try await storage.checkSums()
        try await storage.close()
    }

    @Test("A deletion's transaction does not read again what was found before it")
    func deletedAsFound() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        for number in 1...3 {
            let event = TelemetryEvent(
                eventId: "e\(number)", clientId: "c", sessionId: "s", name: "n", timestamp: Date(timeIntervalSince1970: 1),
                threadId: "t", property1: "gone \(number)")
            _ = try await storage.events.append(WireEventLines.read(EventLines.encode([event]), limits: .init()))
        }
        let filter = RelayEventFilter(query: try TelemetryQuery("text:~\"go+ne [12]\""))
        let deleted = try await storage.parts.events.delete(matching: filter) {
            try await storage.database.writer.write {
                try $0.execute(sql: "UPDATE event_block SET body = zeroblob(length(body)) WHERE first < 3")
            }
        }
        #expect(deleted == 2)
        #expect(try await storage.page(after: nil).events.count == 1)
        try await storage.checkSums()
        try await storage.close()
    }

    @Test("Background work merges the blocks of a stream, and the size is that of the rows")
    func background() async throws {
        try await StorageBench.run(try #require(StorageDriver.persistent.first)) { bench in
            try await bench.open { storage in
                let storage = try #require(storage as? SQLiteRelayStorage)
                func blocks() async throws -> [Int64] {
                    try await storage.database.read { db in
                        let sizes = try db.int(
                            "SELECT SUM(\(EncodedBlock.storedSize)) FROM event_block"
                        )
                        #expect(try EventState.fetch(db).eventBytes == sizes ?? 0)
                        return try db.rows("SELECT packed FROM event_block ORDER BY first").map { try $0.int(0) }
                    }
                }
                for number in 1...20 {
                    _ = try await storage.events.append([
                        Sample.event(number, session: "s\(number % 2)", text: String(repeating: "x", count: 900))
                    ])
                }
                try await storage.whileRunning { () async throws in
                    await bench.clock.sleepers(atLeast: 3)
                    #expect(try await blocks() == Array(repeating: 0, count: 20))
                    bench.time.pass(BlockMerging.delay)
                    bench.clock.advance(by: .milliseconds(400))
                    await bench.clock.sleepers(atLeast: 3)
                    #expect(try await blocks() == [1, 1])
                    // A full block of text is not kept waiting.
                    _ = try await storage.events.append(
                        (100...200).map { Sample.event($0, session: "s0", text: String(repeating: "x", count: 900)) })
                    bench.clock.advance(by: .milliseconds(400))
                    await bench.clock.sleepers(atLeast: 3)
                    #expect(try await blocks().allSatisfy { $0 == 1 })
                }
                #expect(try await storage.usage().eventBytes < 5_000)
                #expect(try await storage.texts(.init(sessionId: "s1")).count == 10)
                #expect(try await storage.events.delete(matching: .all) == 121)
                #expect(try await blocks() == [])
            }
        }
    }

    @Test("A relay that is killed while it merges keeps every event once")
    func killed() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [file = file as URL] in
            let storage = try SQLiteRelayStorage(file: file)
            for batch in 0..<10 { _ = try await storage.events.append(SQLiteFaultTests.events((batch * 10)...(batch * 10 + 9))) }
            try await storage.database.writer.write { try $0.killProcess(afterInsertInto: "event_block", when: "new.packed = 1") }
            try await storage.parts.events.merge(after: 0)
        }
        let storage = try SQLiteRelayStorage(file: file)
        #expect(try await storage.texts().count == 100)
        try await storage.parts.events.merge(after: 0)
        #expect(try await storage.texts().count == 100)
        #expect(try await storage.events.append(SQLiteFaultTests.events(0...99)) == .init(stored: 0, duplicates: 100))
        try await storage.close()
    }

    @Test("Two relays that merge one file at once keep every event once, also while it is read")
    func twoRelays() async throws {
        let relays = [try SQLiteRelayStorage(file: file), try SQLiteRelayStorage(file: file)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, relay) in relays.enumerated() {
                group.addTask {
                    for batch in 0..<40 {
                        _ = try await relay.events.append(
                            (0..<5).map { Sample.event((index * 40 + batch) * 5 + $0, session: "s\(batch % 4)") }
                                + [Sample.event(10_000 + index * 40 + batch, name: "gone")])
                        try await relay.parts.events.merge(after: 0)
                        if batch % 10 == 9 {
                            _ = try await relay.events.delete(matching: .init(names: ["gone"]))
                            try await relay.expire()
                        }
                    }
                }
                group.addTask {
                    var count = 0
                    for _ in 0..<40 {
                        let texts = try await relay.texts(.init(names: ["n"]), limit: 50)
                        #expect(Set(texts).count == texts.count && texts.count >= count)
                        count = texts.count
                    }
                }
            }
            try await group.waitForAll()
        }
        _ = try await relays[0].events.delete(matching: .init(names: ["gone"]))
        #expect(Set(try await relays[0].texts()).count == 400)
        #expect(try await relays[1].events.count(matching: .init(clients: ["c"])) == 400)
        try await relays[0].checkSums()
        for relay in relays { try await relay.close() }
    }

    @Test("The text of a compressed block is kept for the next page, and is that of the block's row")
    func cachedBlock() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        _ = try await storage.events.append(Sample.events(1...4))
        try await storage.parts.events.merge(after: 0)
        let first = try await storage.page(after: nil, limit: 2)
        #expect(first.events.map(\.text) == ["1", "2"])
        func replaceBody() async throws {
            try await storage.database.writer.write { try $0.execute(sql: "UPDATE event_block SET body = x'0102'") }
        }
        try await replaceBody()
        #expect(try await storage.page(after: first.cursor).events.map(\.text) == ["3", "4"])
        // As if another block had its id.
        try await storage.database.writer.write { try $0.execute(sql: "UPDATE event_block SET size = size + 1") }
        #expect(try await storage.page(after: nil).skipped == 4)
        try await storage.close()
    }

    @Test("The cache keeps what was used last, and only compressed blocks")
    func cacheLimit() throws {
        let cache = BlockCache(limit: 100)
        let store = StoreIdentity(rawValue: "a")
        func add(_ ids: ClosedRange<Int64>, packed: Bool = true) throws {
            for id in ids {
                cache.add(Array(repeating: 0, count: 40), of: try block(id, id, length: 40, packed: packed), in: store)
            }
        }
        func known(_ ids: ClosedRange<Int64>) throws -> [Int64] {
            try ids.filter { cache.text(of: try block($0, $0, length: 40, packed: true), in: store) != nil }
        }
        try add(9...9, packed: false)
        try add(1...3)
        #expect(try known(9...9) == [])
        // Also keeps it longer.
        #expect(try known(2...2) == [2])
        try add(4...6)
        #expect(try known(1...1) + known(3...3) == [])
        #expect(try known(6...6) == [6])
        #expect(try known(2...2) == [2])
        #expect(cache.text(of: try block(6, 7, length: 40, packed: true), in: store) == nil)
        // After a restore, another block may be the same by its columns.
        #expect(cache.text(of: try block(6, 6, length: 40, packed: true), in: StoreIdentity(rawValue: "b")) == nil)
    }
}
