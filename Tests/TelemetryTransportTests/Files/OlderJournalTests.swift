import Foundation
import TelemetryModels
import TelemetryStorage
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct OlderJournalTests {
    /// The entry as version 2 wrote it: without the summary.
    private static func older(_ line: Substring) -> String {
        guard line.hasPrefix("B ") else { return String(line) }
        let body = line.split(separator: " ").prefix(10).joined(separator: " ")
        let hash = Array(body.utf8).withUnsafeBytes { LineChecksum.hash($0) }
        var checksum = String(hash, radix: 16)
        checksum = String(repeating: "0", count: 8 - checksum.count) + checksum
        return "\(body) \(checksum)"
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
                try Data(lines.map(Self.older).joined(separator: "\n").utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            }
            try await store.check("without indexes")
            try await store.check("with the indexes that the first reader saved")
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
            #expect(reads.bytes < everything / 2)
        }
    }
}
