import Foundation
import TelemetryModels
import TelemetryStorage
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// Stores of version 1 of the format.
struct OlderStoreTests {
    private static let header = #"{"header":{"session":"session","client":"client","thread":"1","level":"info"}}"#

    private static func line(_ sequence: UInt64) -> String {
        #"{"seq":\#(sequence),"time":"\#(Date(timeIntervalSince1970: 1_790_000_000 + Double(sequence)).formatted(.iso8601))","name":"n\#(sequence)"}"#
    }

    /// Writes a store of version 1 with eight events in two batches. In a rewritten segment the second event is deleted.
    private static func makeStore(in directory: URL, isRewritten: Bool) throws {
        for name in ["records", "subscriptions", "journal", "events/client"] {
            try FileManager.default.createDirectory(at: directory.appending(path: name), withIntermediateDirectories: true)
        }
        try Data(#"{"format":"LiveTelemetry file store","id":"x","version":1}"#.utf8)
            .write(to: directory.appending(path: "format.json"))
        var text = #"{"segment":1}"# + "\n"
        var entries = [JournalLines.entry("H x 0")]
        for batch in 0..<2 {
            let first = UInt64(batch * 4 + 1)
            let lines = (batch == 0 ? [header] : []) + (first..<first + 4).map(line)
            let bytes = lines.map { $0 + "\n" }.joined()
            let number = batch == 0 ? 1 : 6
            entries.append(
                JournalLines.entry("B client 1-a 14 1 \(text.utf8.count) \(number) \(bytes.utf8.count) \(lines.count) 4"))
            text += bytes
        }
        if isRewritten {
            text = text.replacing(#"{"segment":1}"#, with: #"{"segment":1,"rewritten":true}"#).replacing(line(2), with: "")
        }
        try Data(text.utf8).write(to: directory.appending(path: "events/client/1-a.jsonl"))
        try Data(entries.map { "\n\($0)\n" }.joined().utf8).write(to: directory.appending(path: "journal/1.log"))
    }

    @Test(
        "A store of version 1 is read, deleted from and appended to, and becomes the current version with the first write",
        arguments: [false, true])
    func upgrade(isRewritten: Bool) async throws {
        try await withTemporaryDirectory { directory in
            try Self.makeStore(in: directory, isRewritten: isRewritten)
            let format = directory.appending(path: "format.json")
            let mark = try Data(contentsOf: format)
            let store = try FileTelemetryTransport(directory: directory)
            var left = (isRewritten ? [1, 3, 4, 5, 6, 7, 8] : Array(1...8)) as [UInt64]
            let page = try await store.events(matching: .all, after: nil, limit: 2)
            #expect(try await store.fetchAllEvents().map(\.sequence) == left)
            #expect(try await store.countEvents() == left.count)
            #expect(try Data(contentsOf: format) == mark)

            for name in ["n7", "n1", "n8"] {
                #expect(try await store.deleteEvents(matching: .init(names: [name])) == 1)
                left.removeAll { "n\($0)" == name }
                #expect(try await FileTelemetryTransport(directory: directory).fetchAllEvents().map(\.sequence) == left)
                #expect(try await store.countEvents() == left.count)
            }
            #expect(
                try String(contentsOf: format, encoding: .utf8) == #"{"format":"LiveTelemetry file store","id":"x","version":4}"#
                    + "\n")
            try await store.append(events(5...10))
            left += [9, 10]
            #expect(try await store.fetchAllEvents().map(\.sequence) == left)
            let rest = try await store.events(matching: .all, after: page.cursor, limit: 99).events
            #expect(rest.map(\.sequence) == left.filter { $0 > (page.events.last?.sequence ?? 0) })
            try FileManager.default.removeItem(at: directory.appending(path: "journal"))
            #expect(Set(try await FileTelemetryTransport(directory: directory).fetchAllEvents().map(\.sequence)) == Set(left))
        }
    }

    @Test("A rewritten store is read the same after its journal was lost")
    func rebuiltJournal() async throws {
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
}
