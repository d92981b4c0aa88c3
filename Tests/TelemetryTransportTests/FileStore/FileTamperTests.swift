import Foundation
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// Altered files whose checksums are all correct.
struct FileTamperTests {
    @Test(
        "The largest number in an identity header traps in no call, and the events are counted again",
        arguments: [4, 5, 6, 7, 9, 10, 11, 17])
    func extremeWords(word: Int) async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            try await store.append(events(1...4))
            try await store.append(events(1...4, client: "other"))
            for client in ["client", "other"] {
                var identity = try IdentityWords(directory, client: client)
                identity.words[word] = .max
                try identity.write()
            }
            #expect(try await store.countEvents() == 8)
            try await store.append(events(5...6))
            try await FileTelemetryTransport(directory: directory).append(events(5...6, client: "other", session: "new"))
            #expect(try await store.countEvents() == 12)
            #expect(try await store.deleteEvents(forClient: "client") == 6)
            #expect(try await store.countEvents() == 6)
        }
    }

    @Test("An append that an identity header names in another client's directory is not undone")
    func foreignSegment() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            try await store.append(events(1...4))
            try await store.append(events(1...4, client: "other"))
            let name = try #require(try segments(of: "other", in: directory).first).deletingPathExtension().lastPathComponent
            var identity = try IdentityWords(directory)
            identity.words[8] = 1
            identity.words[9] = 20
            var text = Array("../other/\(name)".utf8)
            text += [UInt8](repeating: 0, count: 32 - text.count)
            identity.words.replaceSubrange(12..<16, with: text.withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) })
            identity.words[11] = 100
            try identity.write()
            try await store.append(events(5...6))
            #expect(try await store.events(matching: .init(clientId: "other"), after: nil, limit: 9).events.count == 4)
        }
    }

    @Test("A journal whose header and entries claim the largest number of events is read and counted")
    func extremeCounts() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory, configuration: .init(journalBytes: 300))
            for number in 1...20 as ClosedRange<UInt64> { try await store.append([event(number)]) }
            var journal = try JournalLines(directory)
            let cursor = try await store.events(matching: .all, after: nil, limit: 1).cursor
            let head = journal.lines[0].split(separator: " ")
            journal.lines[0] = JournalLines.entry("H \(head[1]) \(UInt64.max)")
            let most = (1 << 56) - 1
            for number in 1...300 { journal.lines.append(JournalLines.entry("B client gone-\(number) 0 0 0 0 1 1 \(most) -")) }
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: journal.url.path)
            try journal.write()
            try Data("0-\(most)\n".utf8).write(to: directory.appending(path: "events/client/retired"))
            let names = Set((1...20).map { "\($0)" })
            #expect(try await store.countEvents(matching: .init(names: names)) == 0)
            let page = try await store.events(matching: .all, after: cursor, limit: 99)
            #expect(page.events.map(\.sequence) == Array(2...20))
            #expect(page.skippedEventCount == .max)
            _ = try await store.deleteEvents(forClient: "client")
            for number in 21...40 as ClosedRange<UInt64> { try await store.append([event(number)]) }
            #expect(try await store.fetchAllEvents().map(\.sequence) == Array(21...40))
        }
    }

    @Test("After a journal file in the middle is lost, reading continues with the next one and reports the missing events")
    func missingJournalFile() async throws {
        try await withTemporaryDirectory { directory in
            let told = Told()
            let configuration = FileTelemetryTransport.Configuration(journalBytes: 300, diagnostics: { told.append($0) })
            let store = try FileTelemetryTransport(directory: directory, configuration: configuration)
            for number in 1...20 as ClosedRange<UInt64> { try await store.append([event(number)]) }
            let cursor = try await store.events(matching: .all, after: nil, limit: 1).cursor
            let lost = try JournalLines(directory, file: 2).lines.filter { $0.hasPrefix("B ") }.count
            var arrivals = store.eventArrivals().makeAsyncIterator()
            try FileManager.default.removeItem(at: directory.appending(path: "journal/2.log"))
            for start in [nil, cursor] {
                let page = try await store.events(matching: .all, after: start, limit: 99)
                #expect(page.events.count == 20 - lost - (start == nil ? 0 : 1))
                #expect(page.events.last == event(20))
                #expect(!page.hasMore)
                #expect(page.skippedEventCount == lost)
                #expect(told.all.contains { $0.kind == .corruptFile && $0.message.contains("2.log is missing") })
                try await store.append([event(20)])
                #expect(try await store.events(matching: .all, after: page.cursor, limit: 9).events.isEmpty)
            }
            // From a cursor within the lost file.
            let parts = cursor.rawValue.split(separator: ".")
            let inside = TelemetryCursor(rawValue: "\(parts[0]).2.80.0.\(20)")
            #expect(try await store.events(matching: .all, after: inside, limit: 99).events.last == event(20))
            try await store.append([event(21)])
            #expect(await arrivals.next() != nil)
        }
    }

    @Test("A journal file that the store itself removed is not reported as lost")
    func collectedJournalFile() async throws {
        try await withTemporaryDirectory { directory in
            let told = Told()
            let configuration = FileTelemetryTransport.Configuration(
                segmentBytes: 1, journalBytes: 300, diagnostics: { told.append($0) })
            let store = try FileTelemetryTransport(directory: directory, configuration: configuration)
            for number in 1...20 as ClosedRange<UInt64> { try await store.append([event(number, name: "n\(number)")]) }
            let cursor = try await store.events(matching: .all, after: nil, limit: 1).cursor
            let names = Set((1...10).map { "n\($0)" })
            #expect(try await store.deleteEvents(matching: .init(names: names)) == 10)
            let page = try await store.events(matching: .all, after: cursor, limit: 99)
            #expect(page.events.map(\.sequence) == Array(11...20))
            #expect(page.skippedEventCount == 0)
            #expect(told.all.isEmpty)
        }
    }

    @Test("An index that was truncated after its header is rebuilt, and no event is stored twice")
    func truncatedIndex() async throws {
        try await withTemporaryDirectory { directory in
            for isOpen in [true, false] {
                try? FileManager.default.removeItem(at: directory)
                let first = try FileTelemetryTransport(directory: directory)
                try await first.append(events(1...4))
                let identity = try FileHandle(forWritingTo: directory.appending(path: "events/client/identity"))
                try identity.truncate(atOffset: 4_096)
                try identity.close()
                let store = isOpen ? first : try FileTelemetryTransport(directory: directory)
                try await store.append(events(1...4))
                #expect(try await store.fetchAllEvents() == events(1...4))
                #expect(try await store.countEvents() == 4)
            }
        }
    }

    @Test("A duplicate journal entry returns its events once, on one page and on several")
    func duplicateEntry() async throws {
        try await withTemporaryDirectory { directory in
            let told = Told()
            let store = try FileTelemetryTransport(directory: directory, configuration: .init(diagnostics: { told.append($0) }))
            try await store.append(events(1...4))
            try await store.append(events(5...8))
            let cursors = [
                try await store.events(matching: .all, after: nil, limit: 2).cursor,
                try await store.events(matching: .all, after: nil, limit: 9).cursor,
            ]
            var journal = try JournalLines(directory)
            let batches = journal.lines.filter { $0.hasPrefix("B ") }
            journal.lines += batches
            try journal.write()
            try await store.append([event(9)])
            for reader in [store, try FileTelemetryTransport(directory: directory)] {
                #expect(try await reader.fetchAllEvents() == events(1...9))
                #expect(try await reader.countEvents(matching: .init(names: ["name"])) == 9)
                #expect(try await reader.events(matching: .all, after: cursors[0], limit: 99).events == events(3...9))
                #expect(try await reader.events(matching: .all, after: cursors[1], limit: 99).events == [event(9)])
            }
            var found: [TelemetryEvent] = []
            var cursor: TelemetryCursor?
            for _ in 0..<12 {
                let page = try await store.events(matching: .all, after: cursor, limit: 1)
                found += page.events
                cursor = page.cursor
            }
            #expect(found == events(1...9))
            #expect(told.all.contains { $0.kind == .corruptFile })
        }
    }

    @Test("Events of a header that names another client are not returned")
    func foreignHeader() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            try await store.append(events(1...4, client: "a"))
            try await store.append(events(1...4, client: "b", session: "t"))
            let segment = try #require(try segments(of: "a", in: directory).first)
            let text = try String(contentsOf: segment, encoding: .utf8)
            try Data(text.replacing("\"client\":\"a\"", with: "\"client\":\"b\"").utf8).write(to: segment)
            let other = try FileTelemetryTransport(directory: directory)
            #expect(try await other.fetchAllEvents() == events(1...4, client: "b", session: "t"))
            #expect(try await other.deleteEvents(matching: .init(clientId: "b", levels: [.info])) == 4)
            try FileManager.default.removeItem(at: directory.appending(path: "journal"))
            #expect(try await FileTelemetryTransport(directory: directory).fetchAllEvents().isEmpty)
        }
    }
}
