import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

@testable import TelemetrySystem

struct BackwardReadingTests {
    @Test("Of a journal file that a page backwards has read, the next page reads one chunk", arguments: [1 << 20, 1 << 17])
    func chunks(journalBytes: Int) async throws {
        try await withTemporaryDirectory { directory in
            let writer = try FileTelemetryTransport(directory: directory, configuration: .init(journalBytes: journalBytes))
            for number in 1...1_500 {
                try await writer.append([TelemetryEvent(clientId: "c", sessionId: "s", sequence: UInt64(number), name: "n")])
            }
            let reads = ByteCounter()
            let system = FileSystem(readObserver: { path, count in
                if path.contains("/journal/") { reads.add(path, count) }
            })
            let reader = try FileTelemetryTransport(directory: directory, configuration: .default, system: system)
            // With the smaller files, this is in a completed one, which has an index.
            var cursor = try await reader.events(matching: .all, before: nil, limit: 1_000).start
            for number in (498...500).reversed() {
                reads.reset()
                let page = try await reader.events(matching: .all, before: cursor, limit: 1)
                #expect(page.events.map(\.sequence) == [UInt64(number)])
                #expect(reads.count > 0 && reads.bytes <= 64 << 10)
                cursor = page.start
            }
        }
    }

    @Test("Pages backwards are the same while events are appended and deleted, and other pages are read")
    func concurrentChanges() async throws {
        var random = SeededGenerator()
        for round in 0..<5 {
            let comment: Comment = "TELEMETRY_SEED=\(randomSeed), round \(round)"
            try await withTemporaryDirectory { directory in
                var store = try IndexedStore(directory)
                try await store.fill(batches: 60, seed: random.next())
                let reader = try FileTelemetryTransport(directory: directory, configuration: IndexedStore.configuration)
                var expected = store.all
                var found: [TelemetryEvent] = []
                var cursor: TelemetryCursor?
                while true {
                    let limit = Int.random(in: 1...30, using: &random)
                    let page = try await reader.events(matching: .all, before: cursor, limit: limit)
                    found = page.events + found
                    cursor = page.start
                    guard page.hasMore else { break }
                    if random.once(in: 3) { try await store.fill(batches: 3, seed: random.next()) }
                    if random.once(in: 3), let filter = IndexedStore.filters.randomElement(using: &random) {
                        _ = try await reader.events(matching: filter, before: random.once(in: 2) ? nil : cursor, limit: limit)
                    }
                    if random.once(in: 9), let event = expected.dropLast(found.count).randomElement(using: &random) {
                        let filter = TelemetryEventFilter(
                            clientId: event.clientId, names: [event.name], since: event.timestamp - 50,
                            until: event.timestamp + 50)
                        let read = Set(found.map(\.eventId))
                        try await store.delete(filter)
                        expected.removeAll { filter.matches($0) && !read.contains($0.eventId) }
                    }
                }
                #expect(found.map(\.eventId) == expected.map(\.eventId), comment)
            }
        }
    }
}
