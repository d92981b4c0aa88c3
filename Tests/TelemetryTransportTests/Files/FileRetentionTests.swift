import Foundation
import Synchronization
import TelemetryModels
import TelemetryTransport
import Testing

struct FileRetentionTests {
    private static func segmentBytes(below directory: URL, client: String = "") throws -> Int {
        try files(below: directory).filter { $0.key.hasSuffix(".jsonl") && $0.key.hasPrefix("events/\(client)") }
            .values.reduce(0) { $0 + $1.count }
    }

    @Test("A bound of bytes per client holds, the oldest events go first, and a reader is told how many it missed")
    func bytesPerClient() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(
                directory: directory,
                configuration: .init(retention: .init(bytesPerClient: 40_000), segmentBytes: 4_000, journalBytes: 2_000))
            try await store.append(events(1...10, client: "quiet", session: "q"))
            let start = try await store.events(matching: .init(clientId: "a"), after: nil, limit: 1).cursor
            for part in 0..<100 as Range<UInt64> {
                try await store.append(events(part * 20 + 1...part * 20 + 20, client: "a"))
                #expect(try Self.segmentBytes(below: directory, client: "a") < 48_000)
            }
            let page = try await store.events(matching: .init(clientId: "a"), after: start, limit: 5_000)
            #expect(page.missedEvents > 1_000)
            #expect(page.events.map(\.sequence) == Array(UInt64(page.missedEvents) + 1...2_000))
            #expect(try await store.events(matching: .init(clientId: "a"), after: page.cursor, limit: 9).missedEvents == 0)
            #expect(try await store.countEvents() == 2_000 - page.missedEvents + 10)
            #expect(try await store.countEvents(matching: .init(clientId: "quiet", levels: [.info])) == 10)
            // What was let go of stays known.
            try await store.append(events(1...20, client: "a"))
            #expect(try await store.countEvents(matching: .init(clientId: "a")) == 2_000 - page.missedEvents)
        }
    }

    @Test("Journal files go when nothing is left of what they tell of; what somebody deleted is not missed")
    func journal() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = FileTelemetryTransport.Configuration(
                retention: .init(bytesInAll: 30_000), segmentBytes: 4_000, journalBytes: 1_000)
            let store = try FileTelemetryTransport(directory: directory, configuration: configuration)
            let start = try await store.events(matching: .all, after: nil, limit: 1).cursor
            func journalFiles() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: directory.appending(path: "journal").path)
                    .count { $0.hasSuffix(".log") }
            }
            for part in 0..<150 as Range<UInt64> {
                try await store.append(events(part * 10 + 1...part * 10 + 10, client: "c\(part % 2)"))
            }
            let page = try await store.events(matching: .all, after: start, limit: 5_000)
            #expect(page.missedEvents + page.events.count == 1_500)
            #expect(page.missedEvents > 500)
            #expect(try journalFiles() < 8)

            #expect(try await store.deleteAllEvents() == page.events.count)
            for part in 150..<160 as Range<UInt64> { try await store.append([event(part * 10 + 1)]) }
            let next = try await store.events(matching: .all, after: page.cursor, limit: 5_000)
            #expect(next.missedEvents == 0)
            #expect(next.events.count == 10)
            #expect(try journalFiles() <= 3)
        }
    }

    @Test("Events that are old enough go with the next segment, of every client")
    func age() async throws {
        try await withTemporaryDirectory { directory in
            let later = Mutex<Int64>(0)
            let system = FileSystem(now: { Int64(Date().timeIntervalSince1970) + later.withLock { $0 } })
            let configuration = FileTelemetryTransport.Configuration(retention: .init(age: .seconds(3_600)))
            func store() throws -> FileTelemetryTransport {
                try FileTelemetryTransport(directory: directory, configuration: configuration, system: system)
            }
            try await store().append([event(1, client: "a"), event(1, client: "b")])
            later.withLock { $0 = 3_000 }
            try await store().append([event(2, client: "a")])
            #expect(try await store().countEvents() == 3)
            later.withLock { $0 = 4_000 }
            let last = try store()
            try await last.append([event(3, client: "a")])
            #expect(try await last.fetchAllEvents().map(\.sequence) == [3])
        }
    }
}
