import Foundation
import Synchronization
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct RecordCacheTests {
    private static func record(_ name: String, _ value: Int64) -> TelemetryRecord {
        var record = TelemetryRecord(recordType: "Thing", recordID: .init(recordName: name))
        record["value"] = .int(value)
        return record
    }

    private static let query = TelemetryRecordQuery(recordType: "Thing", conditions: ["value": .int(1)])

    @Test("A query returns the records of other processes, before and after the directory's date is old")
    func otherWriters() async throws {
        try await withTemporaryDirectory { directory in
            // A date far ahead, so that the directory's date is old.
            let system = FileSystem(now: { Int64(Date.now.timeIntervalSince1970) + 100 })
            let reader = try FileTelemetryTransport(directory: directory, configuration: .default, system: system)
            let writer = try FileTelemetryTransport(directory: directory)
            for round in 0..<40 {
                let name = "r\(round % 7)"
                _ = try await writer.save([Self.record(name, Int64(round % 2))], policy: .overwrite)
                if round % 5 == 4 { try await writer.deleteRecords(withIDs: [.init(recordName: "r\((round + 3) % 7)")]) }
                // A date of the file system has a limited precision, which a reader with the right clock waits for.
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_790_000_000 + Double(round))],
                    ofItemAtPath: directory.appending(path: "records/_thing").path)
                let expected = try await FileTelemetryTransport(directory: directory).records(matching: Self.query)
                #expect(try await reader.records(matching: Self.query) == expected)
                #expect(
                    try await reader.records(matching: .init(recordType: "Thing"))
                        == FileTelemetryTransport(directory: directory).records(matching: .init(recordType: "Thing")))
            }
        }
    }

    @Test("A query while others change records reads only what was changed, and misses nothing", arguments: [1, 2, 3])
    func recentChanges(replacements: Int) async throws {
        try await withTemporaryDirectory { directory in
            let reads = ByteCounter()
            let system = FileSystem(readObserver: { path, _ in if path.hasSuffix(".json") { reads.add(path) } })
            let reader = try FileTelemetryTransport(directory: directory, configuration: .default, system: system)
            let writer = try FileTelemetryTransport(directory: directory)
            _ = try await writer.save((0..<100).map { Self.record("r\($0)", 0) }, policy: .insert)
            #expect(try await reader.records(matching: Self.query).isEmpty)
            for round in 0..<30 {
                let before = reads.count
                // The last of several replacements may get the inode of the first file.
                for value in 1...replacements {
                    _ = try await writer.save([Self.record("r\(round)", Int64(value) % 2)], policy: .overwrite)
                }
                try await writer.deleteRecords(withIDs: [.init(recordName: "r\(99 - round)")])
                let expected = try await FileTelemetryTransport(directory: directory).records(matching: Self.query)
                #expect(try await reader.records(matching: Self.query) == expected)
                #expect(expected.count == (replacements % 2 == 1 ? round + 1 : 0))
                // The changed record, and those that match, whose dates are recent.
                #expect(reads.count - before <= round + 3)
            }
        }
    }

    @Test("Records that were read when they were new are not read again once their dates are old")
    func settling() async throws {
        try await withTemporaryDirectory { directory in
            let reads = ByteCounter()
            let later = Atomic<Int64>(0)
            let system = FileSystem(
                now: { Int64(Date.now.timeIntervalSince1970) + later.load(ordering: .relaxed) },
                readObserver: { path, _ in if path.hasSuffix(".json") { reads.add(path) } })
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: system)
            _ = try await store.save((0..<50).map { Self.record("r\($0)", $0) }, policy: .insert)
            #expect(try await store.records(matching: Self.query).count == 1)
            later.store(100, ordering: .relaxed)
            #expect(try await store.records(matching: Self.query).count == 1)
            let before = reads.count
            #expect(try await store.records(matching: Self.query).count == 1)
            #expect(reads.count == before)
        }
    }

    @Test("A query finds changes if the journal file was cut, replaced or removed")
    func withoutJournal() async throws {
        for damage in ["cut", "replaced", "gone"] {
            try await withTemporaryDirectory { directory in
                let reader = try FileTelemetryTransport(directory: directory)
                _ = try await FileTelemetryTransport(directory: directory).save(
                    (0..<9).map { Self.record("r\($0)", 0) }, policy: .insert)
                #expect(try await reader.records(matching: Self.query).isEmpty)
                _ = try await FileTelemetryTransport(directory: directory).save([Self.record("r4", 1)], policy: .overwrite)
                let journal = directory.appending(path: "journal/1.log")
                switch damage {
                case "cut": try Data().write(to: journal)
                case "replaced": try Data(String(repeating: "x\n", count: 5_000).utf8).write(to: journal)
                default: try FileManager.default.removeItem(at: journal)
                }
                #expect(try await reader.records(matching: Self.query).map(\.recordID.recordName) == ["r4"])
            }
        }
    }

    @Test("A record is read again if its file may have changed within the precision of its date")
    func sameStamp() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            _ = try await store.save([Self.record("r", 1)], policy: .insert)
            #expect(try await store.records(matching: Self.query).count == 1)
            let folder = directory.appending(path: "records/_thing")
            let file = try #require(
                try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).first)
            let dates = try FileDates(file)
            let text = try String(contentsOf: file, encoding: .utf8)
            let value = try #require(text.range(of: "\"int\":1") ?? text.range(of: "\"value\":1"))
            let changed = text.replacingCharacters(in: value, with: text[value].dropLast() + "2")
            let handle = try FileHandle(forWritingTo: file)
            try handle.write(contentsOf: Data(changed.utf8))
            try handle.close()
            try dates.apply(to: file)
            let expected = try await FileTelemetryTransport(directory: directory).records(matching: Self.query)
            #expect(try await store.records(matching: Self.query) == expected)
        }
    }

    @Test("A query of unchanged records reads only those that match")
    func unchanged() async throws {
        try await withTemporaryDirectory { directory in
            let reads = ByteCounter()
            let system = FileSystem(
                now: { Int64(Date.now.timeIntervalSince1970) + 100 }, readObserver: { path, _ in reads.add(path) })
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: system)
            _ = try await store.save((0..<200).map { Self.record("r\($0)", $0) }, policy: .insert)
            #expect(try await store.records(matching: Self.query).count == 1)
            let before = reads.count
            #expect(try await store.records(matching: Self.query).count == 1)
            #expect(reads.count == before)
        }
    }
}
