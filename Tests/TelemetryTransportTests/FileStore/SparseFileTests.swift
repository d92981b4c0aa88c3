import Foundation
import Synchronization
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetrySystem
@testable import TelemetryTransport

/// Sparse files of tens of gigabytes: reads are small, and few.
struct SparseFileTests {
    private static let size: off_t = 40 << 30

    /// The sizes of the reads.
    private final class Reads: Sendable {
        private let counts = Mutex((largest: 0, total: 0))

        var largest: Int { counts.withLock { $0.largest } }
        var total: Int { counts.withLock { $0.total } }

        var system: FileSystem {
            FileSystem(
                fault: nil,
                readObserver: { _, count in
                    self.counts.withLock { counts in
                        counts.largest = max(counts.largest, count)
                        counts.total += count
                    }
                })
        }
    }

    private static func expectFew(_ reads: Reads) {
        #expect(reads.largest <= 1 << 20)
        #expect(reads.total < 512 << 20)
    }

    /// A store with a segment of three events, followed by a hole.
    private static func fill(_ directory: URL) async throws -> URL {
        try await FileTelemetryTransport(directory: directory).append(events(1...3))
        let client = directory.appending(path: "events").appending(path: StoreLayout.client("client"))
        let names = try FileManager.default.contentsOfDirectory(atPath: client.path).filter { $0.hasSuffix(".jsonl") }
        let segment = client.appending(path: names[0])
        #expect(truncate(segment.path, size) == 0)
        return segment
    }

    @Test("A journal entry for tens of gigabytes is read in pieces, and bytes that are not a line are reported")
    func batch() async throws {
        try await withTemporaryDirectory { directory in
            let segment = try await Self.fill(directory)
            let buffer = ByteBuffer()
            let first = UInt64(SegmentForm.asWritten.firstLine.count)
            JournalLine.batch(
                JournalBatch(
                    client: StoreLayout.client("client"), segment: String(segment.lastPathComponent.dropLast(6)),
                    headerOffset: first, headerLine: 1, offset: first, line: 1, byteCount: UInt64(Self.size) - first,
                    lineCount: 4, eventCount: 3)
            ).append(to: buffer)
            let journal = directory.appending(path: "journal/1.log")
            let head = try Data(contentsOf: journal).prefix { $0 != UInt8(ascii: "B") }
            try (head + Data(buffer.bytes)).write(to: journal)
            let (reads, told) = (Reads(), Told())
            let store = try FileTelemetryTransport(
                directory: directory, configuration: .init(diagnostics: { told.append($0) }), system: reads.system)
            #expect(try await store.fetchAllEvents() == events(1...3))
            #expect(told.all.contains { $0.kind == .corruptFile })
            Self.expectFew(reads)
        }
    }

    @Test("A segment with a hole of tens of gigabytes is indexed and journaled again in pieces", arguments: [false, true])
    func segment(isRewritten: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let segment = try await Self.fill(directory)
            if isRewritten {
                var bytes = Data(SegmentForm.inRuns.firstLine)
                let handle = try FileHandle(forReadingFrom: segment)
                let old = try handle.read(upToCount: 4_096)?.prefix { $0 != 0 } ?? Data()
                let lines = old.dropFirst(SegmentForm.asWritten.firstLine.count)
                let line = ByteBuffer()
                SegmentRun(
                    offset: UInt64(old.count - lines.count), byteCount: UInt64(lines.count), header: 0, size: UInt64(lines.count)
                ).append(to: line)
                bytes += Data(line.bytes) + lines
                try bytes.write(to: segment)
                #expect(truncate(segment.path, Self.size) == 0)
            }
            let reads = Reads()
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: reads.system)
            #expect(try await store.fetchAllEvents() == events(1...3))
            // The index is rebuilt, and then the journal.
            try FileManager.default.removeItem(at: segment.deletingLastPathComponent().appending(path: "identity"))
            try await store.append([event(3), event(4)])
            #expect(try await store.countEvents() == 4)
            try FileManager.default.removeItem(at: directory.appending(path: "journal/1.log"))
            let rebuilt = try FileTelemetryTransport(directory: directory, configuration: .default, system: reads.system)
            #expect(Set(try await rebuilt.fetchAllEvents().map(\.eventId)) == Set(events(1...4).map(\.eventId)))
            Self.expectFew(reads)
        }
    }

    @Test("Events are deleted in pieces from a segment with a hole of tens of gigabytes, which stays sparse")
    func deletion() async throws {
        try await withTemporaryDirectory { directory in
            let segment = try await Self.fill(directory)
            let reads = Reads()
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: reads.system)
            #expect(try await store.deleteEvents(matching: .init(names: ["none"])) == 0)
            #expect(try await store.deleteEvents(matching: .init(clientId: "client", since: event(2).timestamp)) == 2)
            #expect(try await store.fetchAllEvents() == [event(1)])
            var status = stat()
            #expect(stat(segment.path, &status) == 0 && status.st_blocks < 1_000)
            #expect(try await store.deleteEvents(matching: .init(names: ["name"])) == 1)
            #expect(try await store.fetchAllEvents().isEmpty)
            try await store.append(events(1...4))
            #expect(try await store.fetchAllEvents() == [event(4)])
            #expect(try await store.deleteEvents(forClient: "client") == 1)
            #expect(!FileManager.default.fileExists(atPath: segment.path))
            #expect(try await store.countEvents() == 0)
            Self.expectFew(reads)
        }
    }

    @Test("A journal file with a hole of tens of gigabytes is read on after the hole")
    func journal() async throws {
        try await withTemporaryDirectory { directory in
            try await FileTelemetryTransport(directory: directory).append(events(1...3))
            let journal = directory.appending(path: "journal/1.log")
            #expect(truncate(journal.path, Self.size) == 0)
            let (reads, told) = (Reads(), Told())
            let store = try FileTelemetryTransport(
                directory: directory, configuration: .init(journalBytes: 1 << 40, diagnostics: { told.append($0) }),
                system: reads.system)
            #expect(try await store.fetchAllEvents() == events(1...3))
            try await store.append([event(4)])
            #expect(try await store.fetchAllEvents() == events(1...4))
            #expect(told.all.contains { $0.kind == .tornTail })
            Self.expectFew(reads)
        }
    }
}
