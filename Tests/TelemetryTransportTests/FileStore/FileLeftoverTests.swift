import Foundation
import Synchronization
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// Files that are no longer needed, and files that must not be removed with them.
struct FileLeftoverTests {
    private static func journalFiles(in directory: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.appending(path: "journal").path)
            .filter { $0.hasSuffix(".log") }
    }

    @Test("A single kept event keeps its journal file, and no later one")
    func idleEvent() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = FileTelemetryTransport.Configuration(
                retention: .init(bytesPerClient: 4_000), segmentBytes: 1_000, journalBytes: 1_000)
            let store = try FileTelemetryTransport(directory: directory, configuration: configuration)
            let start = try await store.events(matching: .all, after: nil, limit: 1).cursor
            try await store.append([event(1, client: "idle", session: "idle")])
            for part in 0..<200 as Range<UInt64> {
                try await store.append(events(part * 5 + 1...part * 5 + 5, client: "busy"))
            }
            #expect(try Self.journalFiles(in: directory).count < 10)
            // A removed file does not count as missing: a reader before it gets the number of its events.
            for viewer in [store, try FileTelemetryTransport(directory: directory, configuration: configuration)] {
                let page = try await viewer.events(matching: .all, after: start, limit: 5_000)
                #expect(page.events.first == event(1, client: "idle", session: "idle"))
                #expect(page.skippedEventCount + page.events.count == 1_001)
                #expect(page.skippedEventCount > 500)
                let one = try await viewer.events(matching: .all, after: start, limit: 1)
                let rest = try await viewer.events(matching: .all, after: one.cursor, limit: 5_000)
                #expect(one.events + rest.events == page.events)
                #expect(one.skippedEventCount + rest.skippedEventCount == page.skippedEventCount)
            }
            try await store.append([event(2, client: "idle", session: "idle")])
            #expect(try await store.fetchAllEvents().last == event(2, client: "idle", session: "idle"))
        }
    }

    @Test("A journal file with changes of records is kept while they may be unread, even if none of its events is left")
    func unreadChanges() async throws {
        try await withTemporaryDirectory { directory in
            let configuration = FileTelemetryTransport.Configuration(journalBytes: 500)
            let store = try FileTelemetryTransport(directory: directory, configuration: configuration)
            let journal = directory.appending(path: "journal/1.log")
            while !FileManager.default.fileExists(atPath: directory.appending(path: "journal/2.log").path) {
                _ = try await store.save([TelemetryRecord(recordType: "t", recordID: "r")], policy: .overwrite)
            }
            try await store.append([event(1)])
            #expect(try String(contentsOf: journal, encoding: .utf8).contains("R + \"t\" \"r\""))
        }
    }

    @Test("No file of a client is left once its events and its record are deleted, in either order", arguments: [true, false])
    func goneClient(recordFirst: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            let other = try FileTelemetryTransport(directory: directory)
            for name in ["gone", "here"] {
                try await store.createTelemetryClient(clientId: name, isEnabled: true)
                try await other.append(events(1...3, client: name))
            }
            if recordFirst { #expect(try await store.deleteRecords(withIDs: [.client("gone")]) == 1) }
            #expect(try await store.deleteEvents(forClient: "gone") == 3)
            #expect(try await store.deleteEvents(forClient: "here") == 3)
            if !recordFirst { #expect(try await store.deleteRecords(withIDs: [.client("gone")]) == 1) }
            let clients = try FileManager.default.contentsOfDirectory(atPath: directory.appending(path: "events").path)
            #expect(clients == ["here"])
            // A transport that had its files open creates them again.
            try await other.append(events(4...5, client: "gone"))
            #expect(try await store.fetchAllEvents() == events(4...5, client: "gone"))
            #expect(try await store.countEvents() == 2)
        }
    }

    @Test("Deleted events of an existing client stay deleted if they are appended again")
    func deletedEvents() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            try await store.createTelemetryClient(clientId: "client", isEnabled: true)
            try await store.append(events(1...3))
            #expect(try await store.deleteEvents(forClient: "client") == 3)
            try await store.append(events(1...4))
            #expect(try await store.fetchAllEvents() == events(4...4))
        }
    }

    @Test("The directory of a client without events is removed after a day, once the journal has no entry for it")
    func agedClients() async throws {
        try await withTemporaryDirectory { directory in
            let later = Mutex<Int64>(0)
            let system = FileSystem(now: { Int64(Date().timeIntervalSince1970) + later.withLock { $0 } })
            let store = try FileTelemetryTransport(
                directory: directory, configuration: .init(segmentBytes: 1_000, journalBytes: 1_000), system: system)
            func clients() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: directory.appending(path: "events").path).count
            }
            for number in 0..<30 { try await store.append(events(1...2, client: "c\(number)")) }
            #expect(try await store.deleteAllEvents() == 60)
            for part in 0..<30 as Range<UInt64> { try await store.append(events(part * 2 + 1...part * 2 + 2)) }
            #expect(try clients() == 31)
            later.withLock { $0 = 2 * 86_400 }
            for part in 30..<60 as Range<UInt64> { try await store.append(events(part * 2 + 1...part * 2 + 2)) }
            #expect(try clients() == 1)
            #expect(try await store.fetchAllEvents() == events(1...120))
        }
    }
}
