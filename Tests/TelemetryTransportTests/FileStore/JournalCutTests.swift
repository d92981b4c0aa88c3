import Foundation
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// A journal that was truncated, as by a power cut, and readers whose cursor is at its former end.
struct JournalCutTests {
    private static func journal(_ directory: URL, _ number: Int = 1) -> URL {
        directory.appending(path: "journal/\(number).log")
    }

    /// Removes the last entry, or the last bytes, in place.
    private static func cut(_ directory: URL, _ number: Int = 1, byteCount: Int? = nil) throws {
        let url = journal(directory, number)
        let bytes = try Data(contentsOf: url)
        let last = try #require(bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")))
        let size = byteCount.map { bytes.count - $0 } ?? last
        #expect(truncate(url.path, off_t(size)) == 0)
    }

    private static func end(of store: FileTelemetryTransport) async throws -> TelemetryCursor {
        try await store.events(matching: .all, after: nil, limit: 1_000).cursor
    }

    @Test(
        "Events that are appended after the journal was truncated are returned from a cursor at its former end",
        arguments: [nil, 1, 5, 40], [false, true])
    func appended(byteCount: Int?, isOpen: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let first = try FileTelemetryTransport(directory: directory)
            try await first.append(events(1...3))
            try await first.append(events(1...3, client: "other", session: "t"))
            let cursor = try await Self.end(of: first)
            try Self.cut(directory, byteCount: byteCount)
            let store = isOpen ? first : try FileTelemetryTransport(directory: directory)
            // A read in between also continues correctly.
            let meanwhile = try await store.events(matching: .all, after: cursor, limit: 9).cursor
            // An entry as long as the one that was removed.
            try await store.append(events(4...6))
            for cursor in [cursor, meanwhile] {
                #expect(try await store.events(matching: .all, after: cursor, limit: 9).events == events(4...6))
            }
            try await store.append(events(7...9))
            #expect(try await store.events(matching: .all, after: cursor, limit: 9).events == events(4...9))
        }
    }

    @Test("Events that are appended after entries of records and subscriptions were truncated are returned from a later cursor")
    func records() async throws {
        try await withTemporaryDirectory { directory in
            for isSubscription in [false, true] {
                try? FileManager.default.removeItem(at: directory)
                let first = try FileTelemetryTransport(directory: directory)
                try await first.append(events(1...3))
                if isSubscription {
                    _ = try await first.save(TelemetrySubscription(id: String(repeating: "x", count: 60), recordType: "t"))
                } else {
                    let name = String(repeating: "x", count: 60)
                    _ = try await first.save(
                        [TelemetryRecord(recordType: "t", recordID: .init(recordName: name))], policy: .insert)
                }
                let cursor = try await Self.end(of: first)
                try Self.cut(directory)
                let store = try FileTelemetryTransport(directory: directory)
                try await store.append(events(4...6))
                #expect(try await store.events(matching: .all, after: cursor, limit: 9).events == events(4...6))
            }
        }
    }

    @Test("After a restart of the machine the journal continues in a new file, whatever is left of the last one")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            func store(boot: UInt64) throws -> FileTelemetryTransport {
                try FileTelemetryTransport(directory: directory, configuration: .default, system: FileSystem(boot: boot))
            }
            try await store(boot: 1).append(events(1...3))
            let identity = directory.appending(path: "events/client/identity")
            let older = try Data(contentsOf: identity)
            try await store(boot: 1).append(events(4...6))
            let cursor = try await Self.end(of: store(boot: 1))
            // Neither was on disk yet.
            try Self.cut(directory)
            try older.write(to: identity)
            try await store(boot: 2).append(events(7...9))
            #expect(try await store(boot: 2).events(matching: .all, after: cursor, limit: 9).events == events(7...9))
            try await store(boot: 2).append(events(10...12))
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.appending(path: "journal").path)
            #expect(Set(names.filter { $0.hasSuffix(".log") }) == ["1.log", "2.log"])
            #expect(try await store(boot: 2).events(matching: .all, after: cursor, limit: 9).events == events(7...12))
        }
    }

    @Test(
        "A journal file's number is not used again after the newest files, or all, were lost",
        arguments: [[3], [2, 3], [1, 2, 3]])
    func lostFiles(lost: [Int]) async throws {
        try await withTemporaryDirectory { directory in
            let told = Told()
            let configuration = FileTelemetryTransport.Configuration(
                segmentBytes: 500, journalBytes: 300, diagnostics: { told.append($0) })
            let first = try FileTelemetryTransport(directory: directory, configuration: configuration)
            var number: UInt64 = 0
            while !FileManager.default.fileExists(atPath: Self.journal(directory, 3).path) {
                number += 1
                try await first.append([event(number)])
            }
            try await first.append(events(number + 1...number + 2))
            let cursor = try await Self.end(of: first)
            for file in lost { try FileManager.default.removeItem(at: Self.journal(directory, file)) }
            for file in 1...2 where !lost.contains(file) {
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600], ofItemAtPath: Self.journal(directory, file).path)
            }
            for step in 3...12 as ClosedRange<UInt64> {
                let store = try FileTelemetryTransport(directory: directory, configuration: configuration)
                try await store.append([event(number + step)])
                let found = try await store.events(matching: .all, after: cursor, limit: 99).events.map(\.sequence)
                #expect(found.suffix(Int(step) - 2) == Array(number + 3...number + step)[...], "\(step)")
            }
            // Rebuilt files do not count as missing.
            if lost.count == 3 {
                let store = try FileTelemetryTransport(directory: directory, configuration: configuration)
                #expect(try await store.fetchAllEvents().map(\.sequence).sorted() == Array(1...number + 12))
                #expect(told.all.isEmpty, "\(told.all)")
            }
        }
    }

    @Test("A truncated journal without room for its next file is still written to, and ends when there is room")
    func noRoom() async throws {
        try await withTemporaryDirectory { directory in
            let faults = Faults()
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: faults.system)
            try await store.append(events(1...3))
            try await store.append(events(4...6))
            let cursor = try await Self.end(of: store)
            try Self.cut(directory)
            faults.set { operation, path in operation == .write && path.contains("/journal/-") ? ENOSPC : nil }
            #expect(try await store.deleteEvents(matching: .init(names: ["none"])) == 0)
            faults.set(nil)
            try await store.append(events(7...9))
            #expect(try await store.events(matching: .all, after: cursor, limit: 9).events == events(7...9))
        }
    }

    @Test("An impossible journal file number in a client's identity file is ignored")
    func forgedEnd() async throws {
        try await withTemporaryDirectory { directory in
            try await FileTelemetryTransport(directory: directory).append(events(1...3))
            var identity = try IdentityWords(directory)
            identity.words[10] = 1 << 56 - 2
            try identity.write()
            let store = try FileTelemetryTransport(directory: directory, configuration: .init(journalBytes: 300))
            for number in 4...20 as ClosedRange<UInt64> { try await store.append([event(number)]) }
            #expect(try await store.fetchAllEvents() == events(1...20))
        }
    }
}
