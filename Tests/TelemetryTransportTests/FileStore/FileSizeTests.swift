import Foundation
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// Files that are too large to be read, or other kinds of files, in place of small ones.
struct FileSizeTests {
    /// Creates a sparse file of a gigabyte, and makes every read of it fail.
    private static func makeHuge(_ path: String, in directory: URL, _ faults: Faults) throws {
        let url = directory.appending(path: path)
        try Data().write(to: url)
        #expect(truncate(url.path, 1 << 30) == 0)
        faults.set { operation, path in
            guard operation == .read, path == url.path else { return nil }
            var status = stat()
            return stat(path, &status) == 0 && status.st_size >= 1 << 30 ? EIO : nil
        }
    }

    private static func setAside(in directory: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.appending(path: "set-aside").path)
    }

    @Test("A record or subscription whose file is too large is set aside unread and reported, and the rest can be read")
    func records() async throws {
        try await withTemporaryDirectory { directory in
            let told = Told()
            let faults = Faults()
            let store = try FileTelemetryTransport(
                directory: directory, configuration: .init(diagnostics: { told.append($0) }), system: faults.system)
            _ = try await store.save([TelemetryRecord(recordType: "t", recordID: "a")], policy: .insert)
            _ = try await store.save(TelemetrySubscription(id: "a", recordType: "t"))
            try Self.makeHuge("records/t/b.json", in: directory, faults)
            #expect(try await store.records(matching: .init(recordType: "t")).map(\.recordID) == ["a"])
            #expect(told.all.map(\.kind) == [.corruptFile])
            #expect(told.all.allSatisfy { $0.message.contains("b.json") && $0.message.contains("bytes") })
            _ = try await store.save([TelemetryRecord(recordType: "t", recordID: "b")], policy: .insert)
            faults.set(nil)
            try Self.makeHuge("subscriptions/b.json", in: directory, faults)
            #expect(try await store.subscription(withID: "b") == nil)
            #expect(try await store.subscription(withID: "a") != nil)
            #expect(try Self.setAside(in: directory).count == 2)
        }
    }

    @Test("A directory, a link or a pipe in place of a record is set aside, and the rest can be read")
    func noFiles() async throws {
        try await withTemporaryDirectory { directory in
            let told = Told()
            let store = try FileTelemetryTransport(
                directory: directory, configuration: .init(diagnostics: { told.append($0) }))
            _ = try await store.save([TelemetryRecord(recordType: "t", recordID: "a")], policy: .insert)
            let records = directory.appending(path: "records/t")
            try FileManager.default.createDirectory(
                at: records.appending(path: "b.json/c"), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                at: records.appending(path: "c.json"), withDestinationURL: records.appending(path: "a.json"))
            #expect(mkfifo(records.appending(path: "d.json").path, 0o600) == 0)
            #expect(try await store.records(matching: .init(recordType: "t")).map(\.recordID) == ["a"])
            #expect(try Self.setAside(in: directory).count == 3)
            #expect(told.all.map(\.kind) == [.corruptFile, .corruptFile, .corruptFile])
            for name in ["b", "c", "d"] {
                _ = try await store.save([TelemetryRecord(recordType: "t", recordID: .init(recordName: name))], policy: .insert)
            }
        }
    }

    @Test("A record that would be too large to be read again is refused")
    func largeRecords() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            var record = TelemetryRecord(recordType: "t", recordID: "a")
            record["text"] = .string(String(repeating: "x", count: 17 << 20))
            #expect(await code { _ = try await store.save([record], policy: .insert) } == .invalidArgument)
            record["text"] = .string(String(repeating: "x", count: 15 << 20))
            _ = try await store.save([record], policy: .insert)
            #expect(try await store.record(withID: "a")?["text"] == record["text"])
        }
    }

    @Test("A store manifest that is too large is .corrupted, and not changed")
    func mark() async throws {
        try await withTemporaryDirectory { directory in
            let faults = Faults()
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Self.makeHuge("format.json", in: directory, faults)
            #expect(
                await code {
                    _ = try FileTelemetryTransport(directory: directory, configuration: .default, system: faults.system)
                } == .corrupted)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["format.json"])
        }
    }

    @Test("Lists of removed files that are too large are set aside, and events are stored and read")
    func lists() async throws {
        try await withTemporaryDirectory { directory in
            let told = Told()
            let faults = Faults()
            let configuration = FileTelemetryTransport.Configuration(
                retention: .init(bytesPerClient: 4_000), segmentBytes: 500, journalBytes: 400,
                diagnostics: { told.append($0) })
            let store = try FileTelemetryTransport(directory: directory, configuration: configuration, system: faults.system)
            try await store.append(events(1...3))
            for list in ["journal/removed", "events/client/retired"] {
                try Self.makeHuge(list, in: directory, faults)
                for part in 0..<60 as Range<UInt64> {
                    try await store.append(events(part * 3 + 1...part * 3 + 3, session: list))
                }
                #expect(try await store.fetchAllEvents().last == event(180, session: list))
            }
            #expect(try Self.setAside(in: directory).count == 2)
            #expect(told.all.map(\.kind) == [.corruptFile, .corruptFile], "\(told.all)")
        }
    }
}
