import Foundation
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryTransport

/// What the journal's entries state about their events.
struct JournalSummaryTests {
    /// The entry of a batch with a dash in place of its summary; any other line unchanged.
    private static func withoutSummary(_ line: Substring) -> String {
        guard line.hasPrefix("B ") else { return String(line) }
        return JournalLines.entry("\(line.split(separator: " ").prefix(10).joined(separator: " ")) -")
    }

    @Test("A store whose journal has no summaries gives the same answers")
    func withoutSummaries() async throws {
        try await withTemporaryDirectory { directory in
            var store = try IndexedStore(directory)
            try await store.fill(batches: 40, seed: 9)
            for file in try FileManager.default.contentsOfDirectory(at: store.journal, includingPropertiesForKeys: nil)
            where file.pathExtension == "log" {
                let mode = try mode(of: file) ?? 0
                let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
                try FileManager.default.removeItem(at: file)
                try Data(lines.map(Self.withoutSummary).joined(separator: "\n").utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            }
            try await store.check("without indexes")
            try await store.check("with the indexes that the first reader saved")
        }
    }

    @Test(
        "An entry of a batch that ends without a summary or a dash is invalid",
        arguments: [("", false), (" ", false), (" -", true), (#" "s" 1795248000000000000 0"#, true)])
    func ending(ending: String, isValid: Bool) {
        let line = JournalLines.entry("B client 1-a 31 1 31 1 410 2 1\(ending)")
        let read = Array(line.utf8).withUnsafeBufferPointer { JournalLine($0) }
        #expect((read != nil) == isValid)
    }

    @Test("A journal that was rebuilt from the segments has summaries, and gives the same answers")
    func rebuilt() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory, configuration: .init(segmentBytes: 1))
            let all = (1...40 as ClosedRange<UInt64>).map { event($0, session: $0 < 21 ? "s" : "t", name: "n\($0 % 4)") }
            for start in stride(from: 0, to: 40, by: 10) { try await store.append(Array(all[start..<start + 10])) }
            // Only the segments of one session are rewritten.
            #expect(try await store.deleteEvents(matching: .init(sessionId: "t", names: ["n3"])) == 5)
            let counts = Set(try await store.eventCounts())
            let journal = directory.appending(path: "journal")
            try FileManager.default.removeItem(at: journal)
            let reader = try FileTelemetryTransport(directory: directory)
            let entries = try FileManager.default.contentsOfDirectory(at: journal, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "log" }
                .flatMap { try String(contentsOf: $0, encoding: .utf8).split(separator: "\n").map(String.init) }
                .filter { $0.hasPrefix("B ") }
            #expect(entries.count == 4)
            #expect(entries.allSatisfy { $0.contains(" \"s\" ") || $0.contains(" \"t\" ") })
            #expect(Set(try await reader.eventCounts()) == counts)
            for filter in [TelemetryEventFilter(sessionId: "s"), .init(sessionId: "t"), .init(since: all[30].timestamp)] {
                let expected = Set(all.filter { filter.matches($0) && ($0.sessionId == "s" || $0.name != "n3") })
                #expect(Set(try await reader.forwards(filter, 7)) == expected)
                #expect(try await reader.countEvents(matching: filter) == expected.count)
            }
        }
    }

    @Test("A segment with deleted events is read the same after the journal was lost")
    func rewrittenSegment() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            let all = (1...60 as ClosedRange<UInt64>).map { event($0, session: "s\($0 / 7)", name: "n\($0)") }
            for start in stride(from: 0, to: 60, by: 10) { try await store.append(Array(all[start..<start + 10])) }
            let names = Set([3, 4, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 60].map { "n\($0)" })
            #expect(try await store.deleteEvents(matching: .init(names: names)) == names.count)
            let left = all.filter { !names.contains($0.name) }
            #expect(try await store.fetchAllEvents() == left)
            try FileManager.default.removeItem(at: directory.appending(path: "journal"))
            let other = try FileTelemetryTransport(directory: directory)
            #expect(try await other.fetchAllEvents() == left)
            #expect(try await other.deleteEvents(matching: .init(names: ["n31", "n5"])) == 2)
            #expect(try await other.fetchAllEvents() == left.filter { !["n31", "n5"].contains($0.name) })
        }
    }

    @Test("A query of an indexed store reads the segments of what matches")
    func bytes() async throws {
        try await withTemporaryDirectory { directory in
            var store = try IndexedStore(directory)
            try await store.fill(batches: 200, seed: 10)
            let reads = ByteCounter()
            let system = FileSystem(readObserver: { path, count in
                if path.hasSuffix(".jsonl") { reads.add(path, count) }
            })
            let reader = try FileTelemetryTransport(
                directory: directory, configuration: IndexedStore.configuration, system: system)
            _ = try await reader.forwards(.all, 1_000)
            let everything = reads.bytes
            reads.reset()
            _ = try await reader.events(matching: .all, before: nil, limit: 5)
            #expect(reads.bytes < everything / 20)
            reads.reset()
            _ = try await reader.forwards(.init(since: IndexedStore.start + 6_500), 1_000)
            #expect(reads.bytes < everything / 3)
            reads.reset()
            let count = try await reader.eventCounts().reduce(0) { $0 + $1.count }
            #expect(count == store.all.count)
            let readOfCounts = reads.bytes
            #expect(readOfCounts < everything / 2)
            reads.reset()
            let top = try TelemetryQuery("| top scenario, client, time:1h")
            #expect(try await reader.result(of: top, matching: .all, now: Date()) == top.result(over: store.all))
            #expect(reads.bytes <= readOfCounts)
            for query in ["time:>=\((IndexedStore.start + 6_500).formatted(.iso8601)) n1", "session:=s2 n1"] {
                reads.reset()
                let query = try TelemetryQuery(query)
                #expect(try await reader.forwards(.init(query: query), 1_000) == store.all.filter { query.matches($0) })
                #expect(reads.bytes < everything / 3)
                reads.reset()
                #expect(try await reader.result(of: query, matching: .all, now: Date()) == query.result(over: store.all))
                #expect(reads.bytes < everything / 3)
            }
        }
    }
}
