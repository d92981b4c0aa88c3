import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// Bytes of a segment that differ from what was written.
struct SegmentDamageTests {
    /// Replaces the first occurrence of a text in a file, in place.
    private func replace(_ text: String, with other: String, last: Bool = false, in url: URL) throws {
        var data = try Data(contentsOf: url)
        let range = try #require(data.range(of: Data(text.utf8), options: last ? .backwards : []))
        data.replaceSubrange(range, with: Data(other.utf8))
        let file = try FileHandle(forWritingTo: url)
        try file.write(contentsOf: data)
        try file.truncate(atOffset: UInt64(data.count))
        try file.close()
    }

    @Test("After a damaged line feed, a deletion keeps other readable events and counts exactly", arguments: ["\0", "x", " "])
    func damagedLineFeed(byte: String) async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            let all = (1...8 as ClosedRange<UInt64>).map { event($0, name: "n\($0)") }
            try await store.append(Array(all[..<4]))
            let cursor = try await store.events(matching: .all, after: nil, limit: 2).cursor
            try await store.append(Array(all[4...]))
            try replace("\"n4\"}\n", with: "\"n4\"}\(byte)", in: try #require(try segments(in: directory).first))
            // White space at the end of a line is ignored.
            var readable = byte == " " ? all : all.filter { $0.sequence != 4 }
            #expect(try await store.fetchAllEvents() == readable)
            #expect(try await store.countEvents() == readable.count)
            for name in ["n2", "n7", "n5"] {
                #expect(try await store.deleteEvents(matching: .init(names: [name])) == 1)
                readable.removeAll { $0.name == name }
                for reader in [store, try FileTelemetryTransport(directory: directory)] {
                    #expect(try await reader.fetchAllEvents() == readable)
                    #expect(try await reader.countEvents() == readable.count)
                    #expect(
                        try await reader.events(matching: .all, after: cursor, limit: 9).events
                            == readable.filter { $0.sequence > 2 })
                }
            }
            try await store.append(all + [event(9)])
            #expect(
                try await store.fetchAllEvents().filter { $0.sequence != 4 } == readable.filter { $0.sequence != 4 } + [event(9)])
            #expect(try await store.deleteEvents(forClient: "client") == readable.count + 1)
            #expect(try await store.countEvents() == 0)
        }
    }

    @Test("After a deletion a damaged line feed costs at most the two events next to it, and a further deletion none")
    func damageAfterDeletion() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            let all = (1...12 as ClosedRange<UInt64>).map { event($0, session: $0 < 7 ? "s" : "t", name: "n\($0)") }
            for start in stride(from: 0, to: 12, by: 4) { try await store.append(Array(all[start..<start + 4])) }
            #expect(try await store.deleteEvents(matching: .init(names: ["n2"])) == 1)
            let segment = try #require(try segments(in: directory).first)
            try replace("\"n3\"}\n", with: "\"n3\"}\0", in: segment)
            var readable = all.filter { ![2, 3].contains($0.sequence) }
            #expect(try await store.fetchAllEvents().filter { $0.sequence != 4 } == readable.filter { $0.sequence != 4 })
            readable = try await store.fetchAllEvents()
            #expect(try await store.deleteEvents(matching: .init(names: ["n9", "n1"])) == 2)
            readable.removeAll { [1, 9].contains($0.sequence) }
            #expect(try await store.fetchAllEvents() == readable)
            #expect(try await store.countEvents() == readable.count)
        }
    }

    @Test("A line feed in the middle of a line costs only that event")
    func additionalLineFeed() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            let all = (1...8 as ClosedRange<UInt64>).map { event($0, name: "n\($0)") }
            try await store.append(Array(all[..<4]))
            try await store.append(Array(all[4...]))
            try replace("name\":\"n2", with: "name\":\nn2", in: try #require(try segments(in: directory).first))
            var readable = all.filter { $0.sequence != 2 }
            #expect(try await store.fetchAllEvents() == readable)
            #expect(try await store.deleteEvents(matching: .init(names: ["n6"])) == 1)
            readable.removeAll { $0.name == "n6" }
            #expect(try await store.fetchAllEvents() == readable)
            #expect(try await store.countEvents() == 6)
        }
    }

    @Test(
        "An altered header applies to no event, before and after a deletion",
        arguments: [("\"session\":\"session\"", "\"session\":\"sessiom\""), ("\"appVersion\":\"", "\"appVersioN\":\"")])
    func alteredHeader(text: String, other: String) async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            try await store.append(events(1...4))
            try await store.append(events(1...4, session: "t"))
            try replace(text, with: other, in: try #require(try segments(in: directory).first))
            let reader = try FileTelemetryTransport(directory: directory)
            #expect(try await reader.fetchAllEvents() == events(1...4, session: "t"))
            #expect(try await reader.countEvents() == 4)
            #expect(try await reader.deleteEvents(matching: .init(until: event(2).timestamp)) == 1)
            #expect(try await reader.fetchAllEvents() == events(2...4, session: "t"))
        }
    }

    @Test("After an event that runs into a header, no event is assigned to the session before")
    func eventGluedToHeader() async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            try await store.append(events(1...4) + events(5...8, session: "t"))
            try replace("\n{\"header\":", with: "\0{\"header\":", last: true, in: try #require(try segments(in: directory).first))
            #expect(try await FileTelemetryTransport(directory: directory).fetchAllEvents() == events(1...3))
        }
    }

    @Test("A damaged byte in a segment's first line costs no event", arguments: [0, 3, 11, 12, 15, 30])
    func firstLine(offset: Int) async throws {
        try await withTemporaryDirectory { directory in
            let store = try FileTelemetryTransport(directory: directory)
            try await store.append(events(1...4))
            try await store.append(events(5...8))
            for isRewritten in [false, true] {
                let segment = try #require(try segments(in: directory).first)
                var data = try Data(contentsOf: segment)
                data[offset] ^= 1
                try data.write(to: segment)
                let reader = try FileTelemetryTransport(directory: directory)
                #expect(try await reader.fetchAllEvents().count == (isRewritten ? 7 : 8))
                if !isRewritten { #expect(try await reader.deleteEvents(matching: .init(until: event(2).timestamp)) == 1) }
            }
        }
    }

    @Test(
        "A segment with another number in its first line and headers without checksums is reported as damaged and not changed",
        arguments: [#"{"segment":1}"#, #"{"segment":1,"rewritten":true}"#, #"{"segment":2,"runs":true}"#, #"{"segment":5}"#])
    func otherNumber(firstLine: String) async throws {
        try await withTemporaryDirectory { directory in
            let told = Told()
            let store = try FileTelemetryTransport(directory: directory, configuration: .init(diagnostics: { told.append($0) }))
            try await store.append(events(1...4))
            let lines = """
                {"header":{"session":"s","client":"client"}}
                {"seq":1,"time":"2026-11-21T08:00:00.000Z","name":"name"}

                """
            let segment = directory.appending(path: "events/client/9-x.jsonl")
            let content = Data("\(firstLine)\n\(lines)".utf8)
            try content.write(to: segment)
            let start = firstLine.utf8.count + 1
            var journal = try JournalLines(directory)
            journal.lines.append(JournalLines.entry("B client 9-x \(start) 1 \(start) 1 \(lines.utf8.count) 2 1 -"))
            try journal.write()
            #expect(try await store.fetchAllEvents() == events(1...4))
            #expect(told.all.contains { $0.kind == .corruptFile && $0.message.contains("9-x.jsonl") })
            #expect(try await store.countEvents() == 4)
            try await store.append(events(3...6))
            #expect(try await store.fetchAllEvents() == events(1...6))
            #expect(try await store.deleteEvents(matching: .init(names: ["name"])) == 6)
            #expect(try Data(contentsOf: segment) == content)
            try FileManager.default.removeItem(at: directory.appending(path: "journal"))
            let other = try FileTelemetryTransport(directory: directory)
            try await other.append(events(7...8))
            #expect(try await other.fetchAllEvents() == events(7...8))
        }
    }
}
