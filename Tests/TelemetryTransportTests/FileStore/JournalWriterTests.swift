import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetrySystem
@testable import TelemetryTransport

struct JournalWriterTests {
    private static let line = JournalLine.unsubscribed(id: String(repeating: "x", count: 80))

    private static func writer(_ directory: URL, _ configuration: FileTelemetryTransport.Configuration) -> JournalWriter {
        JournalWriter(
            layout: StoreLayout(directory: directory.path), system: FileSystem(), configuration: configuration, storeID: "x"
        )
    }

    @Test("A full journal file is followed by another even if a writer is in it at every time")
    func overlappingWriters() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = FileTelemetryTransport.Configuration(journalBytes: 1_000)
            _ = try FileTelemetryTransport(directory: directory, configuration: configuration)
            var inside = Self.writer(directory, configuration)
            var next = Self.writer(directory, configuration)
            #expect(try inside.begin() != nil)
            for _ in 0..<1_000 {
                // The next writer begins before the other ends. If it is refused, the other ends first.
                var isInside = try next.begin() != nil
                try inside.write([Self.line])
                inside.end()
                if !isInside { isInside = try next.begin() != nil }
                #expect(isInside)
                swap(&inside, &next)
            }
            inside.end()
            let sizes = try files(below: directory).filter { $0.key.hasPrefix("journal/") && $0.key.hasSuffix(".log") }
                .map(\.value.count)
            #expect(sizes.count > 60)
            #expect((sizes.max() ?? 0) < 1_500)
        }
    }

    @Test("A stopped writer in a full journal file does not block other writers permanently")
    func stoppedWriter() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = FileTelemetryTransport.Configuration(journalBytes: 1_000)
            let store = try FileTelemetryTransport(directory: directory, configuration: configuration)
            let stopped = Self.writer(directory, configuration)
            #expect(try stopped.begin() != nil)
            for sequence in 1...60 as ClosedRange<UInt64> { try await store.append([event(sequence)]) }
            stopped.end()
            try await store.append([event(61)])
            try await store.append([event(62)])
            #expect(try await store.countEvents(matching: .init(levels: [.info])) == 62)
            #expect(FileManager.default.fileExists(atPath: directory.appending(path: "journal/2.log").path))
        }
    }

    @Test("Without room for the next journal file, events can be appended and deleted")
    func noRoomForNext() async throws {
        try await withTemporaryDirectory { directory in
            let faults = Faults()
            let store = try FileTelemetryTransport(
                directory: directory, configuration: .init(journalBytes: 500), system: faults.system)
            faults.set { operation, path in operation == .write && path.contains("/journal/-") ? ENOSPC : nil }
            for sequence in 1...20 as ClosedRange<UInt64> { try await store.append([event(sequence)]) }
            #expect(try await store.deleteEvents(forClient: "client") == 20)
            #expect(!FileManager.default.fileExists(atPath: directory.appending(path: "journal/2.log").path))
            faults.set(nil)
            for sequence in 21...22 as ClosedRange<UInt64> { try await store.append([event(sequence)]) }
            #expect(FileManager.default.fileExists(atPath: directory.appending(path: "journal/2.log").path))
            #expect(try await store.fetchAllEvents() == events(21...22))
        }
    }

    @Test("On a full disk, after the kill of a process that had marked a journal file as ended, events can be deleted")
    func killedAfterMark() async throws {
        try await withTemporaryDirectory { directory in
            let first = try FileTelemetryTransport(directory: directory)
            try await first.append(events(1...3))
            let journal = directory.appending(path: "journal/1.log")
            #expect(chmod(journal.path, 0o400) == 0)
            let faults = Faults()
            let store = try FileTelemetryTransport(directory: directory, configuration: .init(), system: faults.system)
            faults.set { operation, path in operation == .write && path.contains("/journal/-") ? ENOSPC : nil }
            #expect(try await store.deleteEvents(forClient: "client") == 3)
            #expect(!FileManager.default.fileExists(atPath: directory.appending(path: "journal/2.log").path))
            faults.set(nil)
            try await store.append([event(4)])
            #expect(chmod(journal.path, 0o400) == 0)
            try await store.append([event(5)])
            #expect(FileManager.default.fileExists(atPath: directory.appending(path: "journal/2.log").path))
            #expect(try await store.fetchAllEvents() == events(4...5))
        }
    }
}
