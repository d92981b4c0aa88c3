import Foundation
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryTransport

/// Queries of records in a directory whose changes the system reports.
struct RecordReportTests {
    private static let isSupported: Bool =
        DirectoryReports(system: FileSystem())?.watch(FileManager.default.temporaryDirectory.path) ?? false

    @Test(
        "While another connection changes records, a query reads the changed ones, but not the directory",
        .enabled(if: isSupported), arguments: [0, 100])
    func changes(later: Int64) async throws {
        try await withTemporaryDirectory { directory in
            let writer = try FileTelemetryTransport(directory: directory)
            _ = try await writer.save((0..<100).map { RecordReader.record("r\($0)", 0) }, policy: .insert)
            let reader = RecordReader(directory, later: later)
            #expect(try reader.records(RecordReader.query(1)).isEmpty)
            _ = try await writer.save([RecordReader.record("r0", 2)], policy: .overwrite)
            #expect(try reader.records(RecordReader.query(1)).isEmpty)
            // Records that were new when they were read are read again once.
            #expect(try reader.records(RecordReader.query(1)).isEmpty)
            let (listings, reads) = (reader.listings.count, reader.reads.count)
            for round in 0..<20 {
                _ = try await writer.save([RecordReader.record("r\(round)", 1)], policy: .overwrite)
                #expect(try reader.records(RecordReader.query(1)).count == 1)
                _ = try await writer.save([RecordReader.record("r\(round)", 3)], policy: .overwrite)
                #expect(try reader.records(RecordReader.query(1)).isEmpty)
                try await writer.deleteRecords(withIDs: [.init(recordName: "r\(99 - round)")])
                #expect(try reader.records(RecordReader.query(1)).isEmpty)
                #expect(try reader.records(RecordReader.query(1)).isEmpty)
            }
            #expect(reader.listings.count == listings)
            // Twice the changed record, and once more while its date is recent.
            #expect(reader.reads.count - reads <= 60)
        }
    }

    @Test("A directory whose date changed without a report is read, and watched as before", .enabled(if: isSupported))
    func unreported() async throws {
        try await withTemporaryDirectory { directory in
            let writer = try FileTelemetryTransport(directory: directory)
            _ = try await writer.save((0..<9).map { RecordReader.record("r\($0)", 0) }, policy: .insert)
            let reader = RecordReader(directory)
            for value: Int64 in [0, 1, 1] {
                _ = try await writer.save([RecordReader.record("r0", value)], policy: .overwrite)
                try await reader.expectCurrent("before")
            }
            try await reader.expectCurrent("unchanged")
            let listings = reader.listings.count
            try reader.setDate(1_790_000_000)
            try await reader.expectCurrent("with another date")
            #expect(reader.listings.count == listings + 1)
            _ = try await writer.save([RecordReader.record("r1", 1)], policy: .overwrite)
            try await reader.expectCurrent("after")
            #expect(reader.listings.count == listings + 1)
        }
    }

    @Test("A directory is not watched if it is read once, or is small", .enabled(if: isSupported))
    func unwatched() async throws {
        try await withTemporaryDirectory { directory in
            let watches = ByteCounter()
            let system = FileSystem(fault: { operation, path in
                if operation == .watch, path.hasSuffix("_thing") { watches.add(path) }
                return nil
            })
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: system)
            _ = try await store.save((0..<499).map { RecordReader.record("r\($0)", 0) }, policy: .insert)
            for value in 0..<4 {
                _ = try await store.save([RecordReader.record("r0", Int64(value))], policy: .overwrite)
                #expect(try await store.records(matching: RecordReader.query(3)).count == (value == 3 ? 1 : 0))
            }
            _ = try await store.save([RecordReader.record("new", 1)], policy: .insert)
            #expect(try await store.records(matching: RecordReader.query(1)).count == 1)
            #expect(watches.count == 0)
            _ = try await store.save([RecordReader.record("new", 2)], policy: .overwrite)
            #expect(try await store.records(matching: RecordReader.query(2)).count == 1)
            #expect(watches.count == 1)
            let opened = try FileTelemetryTransport(directory: directory, configuration: .default, system: system)
            #expect(try await opened.records(matching: RecordReader.query(2)).count == 1)
            #expect(watches.count == 1)
        }
    }

    @Test(
        "Queries have the right results after any changes, with and without journal entries",
        arguments: [(true, 0), (true, 100), (false, 0), (false, 100)] as [(Bool, Int64)])
    func anyChanges(isWatching: Bool, later: Int64) async throws {
        var random = SeededGenerator(seed: randomSeed)
        try await withTemporaryDirectory { directory in
            let writer = try FileTelemetryTransport(directory: directory)
            _ = try await writer.save((0..<30).map { RecordReader.record("r\($0)", $0 % 3) }, policy: .insert)
            let reader = RecordReader(directory, isWatching: isWatching, later: later)
            // The second time, the directory is watched.
            for date in [1_780_000_000, 1_780_000_001] {
                try reader.setDate(date)
                try await reader.expectCurrent("at first")
            }
            for round in 0..<80 {
                var kinds: [Change] = []
                // In a store whose dates seem old, two changes of one file must not have the same date.
                for _ in 0..<Int.random(in: 0..<(later > 0 ? 2 : 4), using: &random) {
                    let possible = Change.allCases.filter { kind in
                        if isWatching && Self.isSupported && later == 0 { return true }
                        // A file that is replaced twice may have the same inode.
                        return !kind.needsReport && (kind.hasEntry || kinds.allSatisfy(\.hasEntry))
                    }
                    let kind = possible.randomElement(using: &random) ?? .save
                    kinds.append(kind)
                    try await Self.perform(kind, on: reader, with: writer, &random)
                }
                // A date of the file system has a limited precision, which a reader with the right clock waits for.
                if later > 0, !isWatching || !Self.isSupported { try reader.setDate(1_790_000_000 + round) }
                try await reader.expectCurrent("seed \(randomSeed), round \(round), \(kinds)")
            }
        }
    }

    @Test("If reports were lost, a query finds the changes of the store's connections, and later ones of anybody")
    func lostReports() async throws {
        try await withTemporaryDirectory { directory in
            let writer = try FileTelemetryTransport(directory: directory)
            _ = try await writer.save((0..<30).map { RecordReader.record("r\($0)", 0) }, policy: .insert)
            let reader = RecordReader(directory)
            for round in 0..<8 {
                for value in 0..<2 { _ = try await writer.save([RecordReader.record("r1", Int64(value))], policy: .overwrite) }
                try await reader.expectCurrent("round \(round)")
                let file = try #require(try reader.files().randomElement())
                try Self.changed(file, 1).write(to: file, options: .atomic)
                try await reader.expectCurrent("round \(round), replaced")
                if round % 2 == 0 { reader.cache.stopWatching() } else { try Self.changeMuch(file) }
            }
        }
    }

    /// Makes more changes than the kernel reports.
    private static func changeMuch(_ file: URL) throws {
        let system = FileSystem()
        for _ in 0..<9_000 {
            try system.rename(file.path, to: file.path + "-")
            try system.rename(file.path + "-", to: file.path)
        }
    }

    @Test("A file that could not be read is read by the next query", .enabled(if: isSupported))
    func failure() async throws {
        try await withTemporaryDirectory { directory in
            let writer = try FileTelemetryTransport(directory: directory)
            _ = try await writer.save((0..<9).map { RecordReader.record("r\($0)", 0) }, policy: .insert)
            let reader = RecordReader(directory)
            for value: Int64 in [0, 2] {
                _ = try await writer.save([RecordReader.record("r0", value)], policy: .overwrite)
                try await reader.expectCurrent("before")
            }
            _ = try await writer.save([RecordReader.record("r0", 1)], policy: .overwrite)
            reader.failing.set { operation, path in operation == .open && path.hasSuffix(".json") ? EIO : nil }
            #expect(throws: FileError.self) { try reader.records(RecordReader.query(1)) }
            reader.failing.set(nil)
            let listings = reader.listings.count
            #expect(try reader.records(RecordReader.query(1)).count == 1)
            #expect(reader.listings.count == listings)
        }
    }

    @Test("A query fails if the store is unreachable, and finds nothing if only the type's directory is removed")
    func removed() async throws {
        try await withTemporaryDirectory { directory in
            let writer = try FileTelemetryTransport(directory: directory)
            _ = try await writer.save((0..<9).map { RecordReader.record("r\($0)", 1) }, policy: .insert)
            let reader = RecordReader(directory)
            for value: Int64 in [0, 1] {
                _ = try await writer.save([RecordReader.record("r0", value)], policy: .overwrite)
                try await reader.expectCurrent("before")
            }
            try FileManager.default.moveItem(at: reader.folder, to: directory.appending(path: "moved"))
            #expect(try reader.records(RecordReader.query(1)).isEmpty)
            try FileManager.default.moveItem(at: directory.appending(path: "moved"), to: reader.folder)
            #expect(try reader.records(RecordReader.query(1)).count == 9)
            let records = directory.appending(path: "records")
            try FileManager.default.moveItem(at: records, to: directory.appending(path: "moved"))
            #expect(throws: FileError.self) { try reader.records(RecordReader.query(1)) }
            try FileManager.default.moveItem(at: directory.appending(path: "moved"), to: records)
            try await reader.expectCurrent("after")
        }
    }

    private enum Change: CaseIterable {
        case save, saveTwice, delete, insert, replace, replaceTwice, write, remove, add, moveDirectory, cutJournal

        /// Whether only reports reveal it.
        var needsReport: Bool { self == .saveTwice || self == .replaceTwice || self == .write }

        /// Whether the journal names it.
        var hasEntry: Bool { self == .save || self == .delete || self == .insert }
    }

    private static func perform(
        _ change: Change, on reader: RecordReader, with writer: FileTelemetryTransport, _ random: inout SeededGenerator
    ) async throws {
        let value = Int64.random(in: 0..<3, using: &random)
        let name = "r\(Int.random(in: 0..<40, using: &random))"
        let file = try reader.files().randomElement(using: &random)
        switch change {
        case .save: _ = try await writer.save([RecordReader.record(name, value)], policy: .overwrite)
        case .saveTwice:
            _ = try await writer.save([RecordReader.record(name, 2 - value)], policy: .overwrite)
            _ = try await writer.save([RecordReader.record(name, value)], policy: .overwrite)
        case .delete: _ = try await writer.deleteRecords(withIDs: [.init(recordName: name)])
        case .insert:
            _ = try await writer.save(
                [RecordReader.record("n\(UInt32.random(in: 0...99, using: &random))", value)], policy: .overwrite)
        case .replace, .replaceTwice:
            guard let file else { return }
            for value in change == .replace ? [value] : [2 - value, value] {
                try changed(file, value).write(to: file, options: .atomic)
            }
        case .write:
            guard let file else { return }
            // Some bytes of the same file: as a program that does not replace it.
            let handle = try FileHandle(forWritingTo: file)
            try handle.write(contentsOf: changed(file, value))
            try handle.close()
        case .remove: if let file { try FileManager.default.removeItem(at: file) }
        case .add:
            try JSONEncoder().encode(RecordReader.record("added", value))
                .write(to: reader.folder.appending(path: "added.json"), options: .atomic)
        case .moveDirectory:
            let copy = reader.directory.appending(path: "copy-\(UUID().uuidString)")
            try FileManager.default.copyItem(at: reader.folder, to: copy)
            try FileManager.default.removeItem(at: reader.folder)
            try FileManager.default.moveItem(at: copy, to: reader.folder)
        case .cutJournal:
            for file in try FileManager.default.contentsOfDirectory(atPath: reader.layout.journal) where file.hasSuffix(".log") {
                try Data().write(to: URL(filePath: reader.layout.journal).appending(path: file))
            }
        }
    }

    /// The content of a record's file with another value.
    private static func changed(_ file: URL, _ value: Int64) throws -> Data {
        var record = try JSONDecoder().decode(TelemetryRecord.self, from: Data(contentsOf: file))
        record["value"] = .int(value)
        return try JSONEncoder().encode(record)
    }
}
