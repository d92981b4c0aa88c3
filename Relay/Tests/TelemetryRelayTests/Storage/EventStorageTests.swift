import Foundation
import TelemetryModels
import Testing

@testable import TelemetryRelay

struct EventStorageTests {
    @Test("Events are returned in order of arrival with their original text", arguments: StorageDriver.all)
    func order(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let text = #"{"eventId":"e3","t":"2026-11-21T08:00:00.123456700Z","x":"\u0000 é\#u{301}","n":1.10}"#
            #expect(try await storage.events.append([Sample.event(3, text: text)]) == .init(stored: 1, duplicates: 0))
            _ = try await storage.events.append([Sample.event(1), Sample.event(2)])
            #expect(try await storage.texts() == [text, "1", "2"])
            #expect(try await storage.texts(order: .descending) == ["2", "1", text])
            #expect(try await storage.events.append([]) == .init(stored: 0, duplicates: 0))
        }
    }

    @Test(
        "An eventId identifies one event per client, in any Unicode spelling",
        arguments: StorageDriver.all)
    func identity(driver: StorageDriver) async throws {
        func event(_ id: String, client: String? = "c") -> SampleEvent {
            SampleEvent(clientId: client, sessionId: "s", eventId: id, name: "n", time: RelayTime(seconds: 0), text: "{}")
        }
        let long = String(repeating: "x", count: 300)
        try await StorageBench.open(driver) { storage async throws in
            let first = [event("a"), event("a"), event("a", client: "d"), event("a", client: nil), event("A")]
            #expect(try await storage.events.append(first) == .init(stored: 4, duplicates: 1))
            #expect(try await storage.events.append([event("\u{e9}"), event("e\u{301}")]) == .init(stored: 1, duplicates: 1))
            #expect(
                try await storage.events.append([event("a\0b"), event("a\0c"), event("a\0b")]) == .init(stored: 2, duplicates: 1))
            #expect(
                try await storage.events.append([event(long), event(long + "y"), event(long)]) == .init(stored: 2, duplicates: 1))
            #expect(try await storage.events.append([event("a", client: "\u{e9}")]).stored == 1)
            #expect(try await storage.events.append([event("a", client: "e\u{301}")]).duplicates == 1)
            #expect(try await storage.events.append(first) == .init(stored: 0, duplicates: 5))
        }
    }

    @Test("A deleted event is not stored again until its window has passed", arguments: StorageDriver.all)
    func window(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open(events: .init(dedupeWindow: 100)) { storage in
                _ = try await storage.events.append(Sample.events(1...3))
                bench.time.pass(50)
                _ = try await storage.events.append(Sample.events(4...4))
                #expect(try await storage.events.delete(matching: .all) == 4)
                #expect(try await storage.events.append(Sample.events(1...4)) == .init(stored: 0, duplicates: 4))
                #expect(try await storage.usage().rememberedEvents == 4)
                bench.time.pass(51)
                try await storage.expire()
                #expect(try await storage.usage().rememberedEvents == 1)
                #expect(try await storage.events.append(Sample.events(1...4)) == .init(stored: 3, duplicates: 1))
                // A stored event is a duplicate at any age.
                bench.time.pass(1000)
                try await storage.expire()
                #expect(try await storage.events.append(Sample.events(1...4)) == .init(stored: 1, duplicates: 3))
                // The identifier of an event that is older than the window when deleted is not kept.
                bench.time.pass(1000)
                #expect(try await storage.events.delete(matching: .all) == 4)
                #expect(try await storage.events.append(Sample.events(1...4)).stored == 4)
            }
        }
    }

    @Test("Identifiers of deleted events are kept up to the capacity, the newest ones", arguments: StorageDriver.all)
    func rememberedCount(driver: StorageDriver) async throws {
        try await StorageBench.open(driver, events: .init(dedupeCapacity: 5)) { storage in
            _ = try await storage.events.append(Sample.events(1...10))
            _ = try await storage.events.delete(matching: .all)
            try await storage.expire()
            #expect(try await storage.usage().rememberedEvents == 5)
            #expect(try await storage.events.append(Sample.events(1...10)) == .init(stored: 5, duplicates: 5))
        }
    }

    @Test(
        "Stored events and identifiers of deleted events persist across a restart, and no number is reused",
        arguments: StorageDriver.persistent)
    func restart(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            let cursor = try await bench.open { storage in
                _ = try await storage.events.append(Sample.events(1...4))
                let cursor = try await storage.page(after: nil).cursor
                let names: Set<String> = ["last"]
                _ = try await storage.events.append([Sample.event(5, name: "last")])
                #expect(try await storage.events.delete(matching: .init(names: names)) == 1)
                return cursor
            }
            try await bench.open { storage async throws in
                #expect(try await storage.events.append(Sample.events(1...6)) == .init(stored: 1, duplicates: 5))
                #expect(try await storage.page(after: cursor).events.map(\.text) == ["6"])
                #expect(try await storage.texts() == ["1", "2", "3", "4", "6"])
            }
        }
    }

    @Test("Batches that arrive together each get their own counts, and each event is stored once", arguments: StorageDriver.all)
    func concurrent(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let results = try await withThrowingTaskGroup(of: RelayAppendResult.self) { group in
                for task in 0..<40 {
                    // Each event is in two batches, in the same order.
                    group.addTask { try await storage.events.append(Sample.events((task / 2 * 50)...(task / 2 * 50 + 49))) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.allSatisfy { $0.stored + $0.duplicates == 50 })
            #expect(results.map(\.stored).reduce(0, +) == 1000)
            #expect(Set(try await storage.texts(limit: 77)).count == 1000)
            #expect(try await storage.usage().events == 1000)
        }
    }

    @Test("Batches that arrive while a storage closes are stored or refused", arguments: StorageDriver.persistent)
    func closing(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            let storage = try await driver.open(bench.place, .init())
            let appends = (0..<100).map { number in
                Task { try? await storage.events.append(Sample.events((number * 3)...(number * 3 + 2))).stored }
            }
            try await storage.close()
            var results: [Int?] = []
            for append in appends { results.append(await append.value) }
            let stored = results.compactMap(\.self)
            #expect(stored.allSatisfy { $0 == 3 })
            let count = try await bench.open { try await $0.events.count(matching: .all) }
            #expect(count == stored.reduce(0, +))
        }
    }
}
