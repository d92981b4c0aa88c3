import Foundation
import TelemetryModels
import Testing

@testable import TelemetryRelay

struct EventQueryTests {
    @Test("Pages return every event once in either order, even if events are deleted meanwhile", arguments: StorageDriver.all)
    func pages(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            _ = try await storage.events.append(Sample.events(1...10))
            let first = try await storage.page(after: nil, limit: 4)
            #expect(first.events.map(\.text) == ["1", "2", "3", "4"])
            #expect(first.hasMore)
            #expect(first.cursor == first.events.last?.cursor)
            _ = try await storage.events.delete(matching: .init(until: RelayTime(seconds: 6)))
            let rest = try await storage.page(after: first.cursor, limit: 5)
            #expect(rest.events.map(\.text) == ["6", "7", "8", "9", "10"])
            #expect(!rest.hasMore)
            let none = try await storage.page(after: rest.cursor)
            #expect(none.events.isEmpty && none.cursor == rest.cursor && none.skipped == 0)
            _ = try await storage.events.append(Sample.events(11...12))
            #expect(try await storage.page(after: none.cursor).events.map(\.text) == ["11", "12"])

            func backwards(_ cursor: RelayEventCursor?) async throws -> RelayEventPage {
                try await storage.events.page(matching: .all, after: cursor, limit: 3, order: .descending)
            }
            let newest = try await backwards(nil)
            #expect(newest.events.map(\.text) == ["12", "11", "10"])
            let older = try await backwards(newest.cursor)
            #expect(older.events.map(\.text) == ["9", "8", "7"])
            let oldest = try await backwards(older.cursor)
            #expect(oldest.events.map(\.text) == ["6"] && !oldest.hasMore)
            #expect(try await backwards(oldest.cursor).events.isEmpty)
        }
    }

    @Test("The cursor of an empty page is after the events that the filter skipped", arguments: StorageDriver.all)
    func filteredCursor(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            _ = try await storage.events.append(Sample.events(1...3))
            let filter = RelayEventFilter(names: ["other"])
            let page = try await storage.events.page(matching: filter, after: nil, limit: 10, order: .ascending)
            #expect(page.events.isEmpty)
            #expect(page.cursor == (try await storage.events.latestCursor()))
            _ = try await storage.events.append([Sample.event(4, name: "other")])
            #expect(
                try await storage.events.page(matching: filter, after: page.cursor, limit: 10, order: .ascending).events.map(
                    \.text)
                    == ["4"])
        }
    }

    @Test("A cursor that does not belong to this storage is refused", arguments: StorageDriver.all)
    func invalidCursors(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            _ = try await storage.events.append(Sample.events(1...3))
            let cursor = try await storage.events.latestCursor().rawValue
            let other = try await StorageBench.open(driver) { try await $0.events.latestCursor() }
            for text in [
                "", "3", "x", cursor + "0", cursor + " ", "+" + cursor, other.rawValue, cursor.replacing("-", with: "--"),
            ] {
                await #expect(throws: RelayStorageError.invalidCursor, "\(text)") {
                    try await storage.page(after: RelayEventCursor(rawValue: text))
                }
            }
        }
    }

    static let filters: [(RelayEventFilter, [Int])] = [
        (.all, [1, 2, 3, 4, 5, 6]),
        (.init(clients: ["a"]), [1, 2, 5]),
        (.init(clients: ["a", "b"]), [1, 2, 3, 4, 5]),
        (.init(clients: ["nobody"]), []),
        (.init(clients: []), []),
        (.init(sessionId: "s1"), [1, 2, 3]),
        (.init(clients: ["b"], sessionId: "s1"), [3]),
        (.init(sessionId: ""), []),
        (.init(scenarios: ["S\u{e9}"]), [2, 4]),
        (.init(scenarios: ["S\u{e9}", "T"]), [2, 3, 4]),
        (.init(scenarios: []), []),
        (.init(levels: [.diagnostic]), [4, 6]),
        (.init(levels: [.info, .diagnostic]), [1, 2, 3, 4, 5, 6]),
        (.init(levels: []), []),
        (.init(names: ["n", "m"]), [1, 3, 5, 6]),
        (.init(clients: ["a"], names: ["m"]), [5]),
        (.init(names: []), []),
        (.init(since: RelayTime(seconds: 100, nanoseconds: 2)), [3, 4, 5, 6]),
        (.init(until: RelayTime(seconds: 100, nanoseconds: 2)), [1, 2]),
        (.init(clients: ["a", "b"], since: RelayTime(seconds: 100, nanoseconds: 2), until: RelayTime(seconds: 101)), [3]),
        (.init(since: RelayTime(seconds: -62_135_596_800), until: RelayTime(seconds: 253_402_300_799)), [1, 2, 3, 4, 5]),
    ]

    @Test("A page of no client's events is empty with and without a cursor", arguments: StorageDriver.all)
    func noClients(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            _ = try await storage.events.append(Sample.events(1...3))
            let cursor = try await storage.page(after: nil, limit: 1).cursor
            for order in [RelayEventOrder.ascending, .descending] {
                let page = try await storage.events.page(matching: .init(clients: []), after: cursor, limit: 10, order: order)
                #expect(page.events.isEmpty && !page.hasMore && page.skipped == 0)
            }
        }
    }

    @Test("A filter reads, counts and deletes the events that meet all of its conditions", arguments: StorageDriver.all)
    func filter(driver: StorageDriver) async throws {
        func event(
            _ number: Int, _ client: String?, _ session: String, _ name: String, _ scenario: String?,
            _ level: TelemetryLogLevel, _ time: RelayTime
        ) -> SampleEvent {
            SampleEvent(
                clientId: client, sessionId: session, eventId: "\(number)", name: name, time: time, scenario: scenario,
                level: level, text: "\(number)")
        }
        let events = [
            event(1, "a", "s1", "n", nil, .info, RelayTime(seconds: -62_135_596_800)),
            event(2, "a", "s1", "o", "Se\u{301}", .info, RelayTime(seconds: 100, nanoseconds: 1)),
            event(3, "b", "s1", "n", "T", .info, RelayTime(seconds: 100, nanoseconds: 2)),
            event(4, "b", "s2", "o", "S\u{e9}", .diagnostic, RelayTime(seconds: 101)),
            event(5, "a", "s2", "m", nil, .info, RelayTime(seconds: 10_000_000_000)),
            event(6, nil, "s3", "n", "t", .diagnostic, RelayTime(seconds: 253_402_300_799, nanoseconds: 999_999_999)),
        ]
        for (filter, expected) in Self.filters {
            try await StorageBench.open(driver) { storage in
                _ = try await storage.events.append(events)
                let texts = expected.map(String.init)
                #expect(try await storage.texts(filter, limit: 2) == texts, "\(filter)")
                #expect(try await storage.texts(filter, order: .descending, limit: 2) == texts.reversed(), "\(filter)")
                #expect(try await storage.events.count(matching: filter) == expected.count, "\(filter)")
                #expect(try await storage.events.delete(matching: filter) == expected.count, "\(filter)")
                #expect(try await storage.events.count(matching: .all) == 6 - expected.count, "\(filter)")
                #expect(try await storage.texts(filter) == [], "\(filter)")
            }
        }
    }

    @Test("A client with many sessions is read page by page like one with few", arguments: StorageDriver.all)
    func manySessions(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            _ = try await storage.events.append(
                (1...900).map { Sample.event($0, client: $0 % 3 == 0 ? "b" : "a", session: "s\($0 / 2)") })
            let expected = (1...900).filter { $0 % 3 != 0 }.map(String.init)
            #expect(try await storage.texts(.init(clients: ["a"]), limit: 7) == expected)
            #expect(try await storage.texts(.init(clients: ["a"]), order: .descending, limit: 70) == expected.reversed())
            #expect(try await storage.events.delete(matching: .init(clients: ["a"])) == 600)
            #expect(try await storage.events.count(matching: .all) == 300)
        }
    }

    @Test("A page stays within its size limit, but has at least one event", arguments: StorageDriver.all)
    func largePages(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let large = String(repeating: "x", count: 5 << 20)
            _ = try await storage.events.append([
                Sample.event(1, text: large + large), Sample.event(2, text: large), Sample.event(3),
            ])
            let first = try await storage.page(after: nil)
            #expect(first.events.count == 1 && first.hasMore)
            let second = try await storage.page(after: first.cursor)
            #expect(second.events.count == 2 && !second.hasMore)
        }
    }

    @Test(
        "Times are compared by all nine fraction digits",
        arguments: [
            ("2026-11-21T08:00:00Z", 1_795_248_000, 0), ("2026-11-21T08:00:00.1Z", 1_795_248_000, 100_000_000),
            ("2026-11-21T08:00:00.123456789Z", 1_795_248_000, 123_456_789), ("1969-12-31T23:59:59.999999999Z", -1, 999_999_999),
            ("0001-01-01T00:00:00.000Z", -62_135_596_800, 0), ("9999-12-31T23:59:59Z", 253_402_300_799, 0),
        ] as [(String, Int64, Int32)])
    func time(text: String, seconds: Int64, nanoseconds: Int32) {
        #expect(RelayTime(text) == RelayTime(seconds: seconds, nanoseconds: nanoseconds))
    }

    @Test(
        "A text that is not a UTC time is refused",
        arguments: [
            "", "Z", "2026-11-21", "2026-11-21T08:00:00", "2026-11-21T08:00:00+01:00", "2026-11-21T08:00:00.Z",
            "2026-11-21T08:00:00.1234567890Z", "2026-02-29T08:00:00Z", "2026-11-21T08:00:00.12x4Z", "2026-11-21T08:00:00.1ZZ",
        ])
    func invalidTimes(text: String) { #expect(RelayTime(text) == nil) }
}
