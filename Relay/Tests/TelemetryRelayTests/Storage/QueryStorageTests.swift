import Foundation
@_spi(Tooling) import TelemetryModels
import TelemetryTestSupport
@_spi(Tooling) import TelemetryTransport
import Testing

@testable import TelemetryRelay

struct QueryStorageTests {
    /// An event with this number, of one of three clients.
    private static func event(_ number: Int) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "e\(number)", clientId: "c\(number % 3)", sessionId: "s", name: number % 10 == 0 ? "tenth" : "n",
            timestamp: Date(timeIntervalSince1970: TimeInterval(number)), threadId: "t",
            attributes: ["number": .int(Int64(number))])
    }

    private static func append(_ numbers: Range<Int>, to storage: any RelayStorage) async throws {
        // One event a request, so that the blocks of the clients overlap once they are merged.
        for number in numbers {
            let batch = try WireEventLines.read(EventLines.encode([event(number)]), limits: .init())
            _ = try await storage.events.append(batch)
        }
    }

    @Test("A result over blocks that overlap is that over the events in their order", arguments: StorageDriver.all)
    func order(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            try await Self.append(0..<60, to: storage)
            for text in [
                "", "| limit 7", "name:tenth", "-name:tenth | limit 20", "| sort by name | limit 9", "| stats count() by client",
            ] {
                let query = try TelemetryQuery(text)
                let result = try await storage.events.result(of: query, matching: .all, now: Date(), limit: 100, byteLimit: .max)
                let whole = try query.result(over: (0..<60).map(Self.event))
                #expect(result.events.map(\.event) == whole.events, "\(text)")
                #expect(result.rows == whole.rows, "\(text)")
                #expect(result.matched == whole.matched, "\(text)")
                let some = try await storage.events.result(
                    of: query, matching: .init(clients: ["c1"]), now: Date(), limit: 3, byteLimit: .max)
                let expected = try query.result(over: (0..<60).map(Self.event).filter { $0.clientId == "c1" })
                #expect(some.events.map(\.event.eventId) == expected.events.prefix(3).map(\.eventId), "\(text)")
                #expect(some.matched == expected.matched)
            }
        }
    }

    @Test(
        "A page ends when finding its events takes long, and the next one continues there",
        arguments: [RelayEventOrder.ascending, .descending])
    func examined(order: RelayEventOrder) async throws {
        try await StorageBench.open(.memory) { storage in
            try await Self.append(0..<60, to: storage)
            let tables = try #require(storage.tables)
            try await tables.events.merge(after: 0)
            for (limit, expected) in [(100, 6), (2, 6)] {
                var filter = RelayEventFilter()
                filter.query = try TelemetryQuery("name:tenth")
                let pages = BlockPages(
                    filter, cache: BlockCache(), unreadable: UnreadableBlocks(logger: Bench.logger()), examinedSpan: 7)
                var found: [String] = []
                var cursor: RelayEventCursor?
                var count = 0
                while true {
                    let page = try await tables.database.read { [cursor] in
                        try pages.page($0, after: cursor, limit: limit, order: order)
                    }
                    found += page.events.map(\.text)
                    count += 1
                    guard page.hasMore, count < 100 else { break }
                    cursor = page.cursor
                }
                #expect(found.count == expected)
                #expect(Set(found).count == expected)
                #expect(count > 1)
            }
        }
    }

    /// What is found among 60 events in memory.
    private static func result(
        of text: String, keptBytes: Int, _ change: @escaping @Sendable (BlockEvaluation) -> Void = { _ in }
    ) async throws -> RelayQueryResult {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        try await Self.append(0..<60, to: storage)
        let query = try TelemetryQuery(text)
        let tables = try #require(storage.tables)
        return try await tables.database.read { db in
            let evaluation = BlockEvaluation(
                query, matching: .all, now: Date(), limit: 100, byteLimit: .max, keptBytes: keptBytes)
            change(evaluation)
            return try evaluation.result(db, in: 1..<61) { try BlockCache().texts(of: $0, in: StoreIdentity(rawValue: "a"), db) }
        }
    }

    @Test("Events beyond the limit of memory are left out, and the result says so; a table beyond it is an error")
    func memory() async throws {
        let whole = try await Self.result(of: "", keptBytes: .max)
        #expect(whole.events.count == 60 && !whole.isCut)
        let some = try await Self.result(of: "", keptBytes: 20_000)
        #expect(some.isCut && some.matched == 60 && (1..<60).contains(some.events.count))
        #expect(some.events.map(\.event) == whole.events.prefix(some.events.count).map(\.event))
        await #expect(throws: TelemetryQueryError.self) { try await Self.result(of: "| stats count() by id", keptBytes: 2_000) }
    }

    /// 60 events of three clients, of which some have a scenario or a severity.
    private static let mixedEvents = (0..<60).map { number in
        let scenarios = ["Net", "Sync", nil, "Kit"]
        let severities = ["error", "odd", "WARN", "odd", "odd", "Fatal", "odd"]
        return TelemetryEvent(
            eventId: "e\(number)", clientId: "c\(number % 3)", sessionId: "s", name: number % 10 == 0 ? "tenth" : "n",
            timestamp: Date(timeIntervalSince1970: TimeInterval(1_000 + number)), threadId: "t",
            attributes: ["number": .int(Int64(number)), ["level", "severity"][number % 2]: .string(severities[number % 7])],
            scenario: scenarios[number % 4],
            level: number % 5 == 0 ? .diagnostic : .info)
    }

    @Test(
        "Counts of what summaries say need no block's text, and other counts are alike", arguments: StorageDriver.all,
        [
            ("| stats count() by level", true), ("-scenario:=Kit client:=c1 level:=info | stats count() by name", false),
            ("name:=tenth | stats count() by time:1h", true), ("session:=s name:=n | stats count(name) by client", true),
            ("time:>1970-01-01T00:10:00Z | stats count()", true), ("| top name, client", true), ("name:=none", true),
            ("time:1d", true), ("| stats count() by severity, time:1h", true),
            ("severity:>=error name:=tenth | top severity", true),
            ("severity:=alert", true), ("-severity:info or level:=info | stats count()", true),
            ("severity:error", false), ("| stats max(severity)", false), ("| top scenario", false),
            ("number:>=30 | stats count() by scenario", false),
            ("time:<1970-01-01T00:17:00Z | stats count()", false), ("| stats count() by time:1s", false),
        ])
    func summaries(driver: StorageDriver, query: (text: String, isSummarized: Bool)) async throws {
        try await StorageBench.open(driver) { storage in
            for event in Self.mixedEvents {
                _ = try await storage.events.append(WireEventLines.read(EventLines.encode([event]), limits: .init()))
            }
            let tables = try #require(storage.tables)
            try await tables.events.merge(after: 0)
            let wanted = try TelemetryQuery(query.text)
            let (found, isRead) = try await tables.database.read { db in
                let state = try EventState.fetch(db)
                let evaluation = BlockEvaluation(wanted, matching: .all, now: Date(), limit: 100, byteLimit: .max)
                var isRead = false
                let result = try evaluation.result(db, in: state.firstEvent..<state.nextEvent) { blocks in
                    if !blocks.isEmpty { isRead = true }
                    return try BlockCache().texts(of: blocks, in: StoreIdentity(rawValue: "a"), db)
                }
                return (result, isRead)
            }
            let expected = try wanted.result(over: Self.mixedEvents)
            #expect(found.rows == expected.rows && found.matched == expected.matched)
            #expect(isRead == !query.isSummarized)
        }
    }

    @Test("Filters by what summaries say count without reading a block's text", arguments: StorageDriver.all)
    func counts(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            for event in Self.mixedEvents {
                _ = try await storage.events.append(WireEventLines.read(EventLines.encode([event]), limits: .init()))
            }
            let tables = try #require(storage.tables)
            try await tables.events.merge(after: 0)
            for (text, isSummarized) in [
                ("name:=tenth", true), ("client:in(c0, c2) -level:=info", true), ("session:=t", true), ("number:>=30", false),
                ("name:=tenth number:>=30", false), ("scenario:=Kit", false),
            ] {
                var filter = RelayEventFilter()
                filter.query = try TelemetryQuery(text)
                let (count, isRead) = try await tables.database.read { [filter] db in
                    var isRead = false
                    let reader = BlockReader(db, EventSelection(filter)) { block in
                        isRead = true
                        return try block.text(db)
                    }
                    return (try reader.count(in: 1...60), isRead)
                }
                #expect(try count == Self.mixedEvents.count { try TelemetryQuery(text).matches($0) }, "\(text)")
                #expect(isRead == !isSummarized, "\(text)")
            }
        }
    }

    @Test(
        "What a query says of clients, sessions, scenarios, names, levels and times narrows a filter and excludes no match",
        arguments: [
            ("client:=c1", 20), ("client:in(c0, c2) number:*", 40), ("session:=t", 0), ("scenario:=Net", 15), ("name:=tenth", 6),
            ("level:=diagnostic", 12), ("time:>=1970-01-01T00:17:00Z", 41), ("time:<1970-01-01T00:17:00Z", 22),
            ("-client:=c1", 60), ("client:=c1 or client:=c2", 60), ("scenario:=5", 60), ("in", 60), ("scenario:in()", 0),
        ])
    func narrowing(text: String, mostRead: Int) throws {
        let query = try TelemetryQuery(text)
        let filter = RelayEventFilter().narrowed(to: query, now: Date(timeIntervalSince1970: 2_000))
        let selected = Self.mixedEvents.filter { event in
            let time = RelayTime(seconds: Int64(event.timestamp.timeIntervalSince1970))
            return filter.clients.map { $0.contains(event.clientId ?? "") } ?? true
                && filter.sessionId.map { $0 == event.sessionId } ?? true && filter.names.map { $0.contains(event.name) } ?? true
                && filter.scenarios.map { $0.contains(event.scenario ?? "-") } ?? true
                && filter.levels.map { $0.contains(event.level) } ?? true && filter.since.map { time >= $0 } ?? true
                && filter.until.map { time < $0 } ?? true
        }
        #expect(selected.count == mostRead)
        #expect(selected.count { query.matches($0) } == Self.mixedEvents.count { query.matches($0) })
    }

    @Test("An evaluation that is cancelled ends")
    func cancelled() async {
        await #expect(throws: CancellationError.self) { try await Self.result(of: "", keptBytes: .max) { $0.cancel() } }
    }
}
