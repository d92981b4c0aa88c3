import Foundation
import Synchronization
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct FileRetentionTests {
    private static func segmentBytes(below directory: URL, client: String = "") throws -> Int {
        try files(below: directory).filter { $0.key.hasSuffix(".jsonl") && $0.key.hasPrefix("events/\(client)") }
            .values.reduce(0) { $0 + $1.count }
    }

    @Test("The limit of bytes per client holds, the oldest events are removed first, and readers get the number of skipped ones")
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
            #expect(page.skippedEventCount > 1_000)
            #expect(page.events.map(\.sequence) == Array(UInt64(page.skippedEventCount) + 1...2_000))
            #expect(try await store.events(matching: .init(clientId: "a"), after: page.cursor, limit: 9).skippedEventCount == 0)
            #expect(try await store.countEvents() == 2_000 - page.skippedEventCount + 10)
            #expect(try await store.countEvents(matching: .init(clientId: "quiet", levels: [.info])) == 10)
            // The identifiers of removed events stay known.
            try await store.append(events(1...20, client: "a"))
            #expect(try await store.countEvents(matching: .init(clientId: "a")) == 2_000 - page.skippedEventCount)
        }
    }

    @Test("A journal file is removed when none of its events is left; deleted events do not count as skipped")
    func journal() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = FileTelemetryTransport.Configuration(
                retention: .init(maximumTotalBytes: 15_000), segmentBytes: 2_000, journalBytes: 2_000)
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
            #expect(page.skippedEventCount + page.events.count == 1_500)
            #expect(page.skippedEventCount > 500)
            #expect(try journalFiles() < 8)

            #expect(try await store.deleteAllEvents() == page.events.count)
            for part in 150..<160 as Range<UInt64> { try await store.append([event(part * 10 + 1)]) }
            let next = try await store.events(matching: .all, after: page.cursor, limit: 5_000)
            #expect(next.skippedEventCount == 0)
            #expect(next.events.count == 10)
            #expect(try journalFiles() <= 3)
        }
    }

    @Test("Events above the maximum age are removed when a segment begins, for every client")
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

    /// A clock that can be set, and the elapsed time; the modification dates of segments follow the clock.
    private final class Time: Sendable {
        private let state = Mutex<(set: Int64, ran: Int64, dated: Set<String>)>((0, 0, []))

        private var date: Date { Date(timeIntervalSinceNow: state.withLock { Double($0.set + $0.ran) }) }

        func system(boot: UInt64 = 1) -> FileSystem {
            FileSystem(
                now: { Int64(self.date.timeIntervalSince1970) }, uptime: { 1_000 + self.state.withLock { $0.ran } }, boot: boot)
        }

        func set(by seconds: Int64) { state.withLock { $0.set += seconds } }
        func run(for seconds: Int64) { state.withLock { $0.ran += seconds } }

        func append(_ events: [TelemetryEvent], to store: FileTelemetryTransport, in directory: URL) async throws {
            try await store.append(events)
            let client = directory.appending(path: "events/client").path
            for name in try FileManager.default.contentsOfDirectory(atPath: client) where name.hasSuffix(".jsonl") {
                guard state.withLock({ $0.dated.insert(name).inserted }) else { continue }
                try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: "\(client)/\(name)")
            }
        }
    }

    @Test("Events expire by elapsed time, not by setting the clock")
    func clockThatIsSet() async throws {
        try await withTemporaryDirectory { directory in
            let time = Time()
            let configuration = FileTelemetryTransport.Configuration(retention: .init(age: .seconds(3_600)), segmentBytes: 100)
            let store = try FileTelemetryTransport(directory: directory, configuration: configuration, system: time.system())
            func stored() async throws -> [UInt64] { try await store.fetchAllEvents().map(\.sequence) }
            for sequence in 1...5 as ClosedRange<UInt64> { try await time.append([event(sequence)], to: store, in: directory) }
            time.run(for: 1_800)
            time.set(by: 10 * 365 * 86_400)
            try await time.append([event(6)], to: store, in: directory)
            #expect(try await stored() == [1, 2, 3, 4, 5, 6])
            time.run(for: 2_700)
            try await time.append([event(7)], to: store, in: directory)
            #expect(try await stored() == [6, 7])
            time.set(by: -10 * 365 * 86_400)
            try await time.append([event(8)], to: store, in: directory)
            #expect(try await stored() == [6, 7, 8])
            time.run(for: 7_200)
            try await time.append([event(9)], to: store, in: directory)
            #expect(try await stored() == [9])
        }
    }

    @Test("A restart with a clock far ahead removes no events; they expire after half of the maximum age")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            let time = Time()
            let configuration = FileTelemetryTransport.Configuration(retention: .init(age: .seconds(3_600)))
            func store(boot: UInt64) throws -> FileTelemetryTransport {
                try FileTelemetryTransport(directory: directory, configuration: configuration, system: time.system(boot: boot))
            }
            try await time.append(events(1...3), to: store(boot: 1), in: directory)
            time.set(by: 86_400 * 365)
            try await time.append([event(4)], to: store(boot: 2), in: directory)
            #expect(try await store(boot: 2).countEvents() == 4)
            time.run(for: 2_000)
            let last = try store(boot: 2)
            try await time.append([event(5)], to: last, in: directory)
            #expect(try await last.fetchAllEvents().map(\.sequence) == [4, 5])
        }
    }

    @Test("A segment dated ahead of the clock does not keep others from expiring, and expires itself")
    func future() async throws {
        try await withTemporaryDirectory { directory in
            let time = Time()
            let configuration = FileTelemetryTransport.Configuration(retention: .init(age: .seconds(3_600)), segmentBytes: 100)
            let store = try FileTelemetryTransport(directory: directory, configuration: configuration, system: time.system())
            time.set(by: 86_400 * 365)
            try await time.append([event(1)], to: store, in: directory)
            time.set(by: -86_400 * 365)
            for sequence in 2...3 as ClosedRange<UInt64> { try await time.append([event(sequence)], to: store, in: directory) }
            time.run(for: 4_000)
            try await time.append([event(4)], to: store, in: directory)
            #expect(try await store.fetchAllEvents().map(\.sequence) == [4])
        }
    }
}
