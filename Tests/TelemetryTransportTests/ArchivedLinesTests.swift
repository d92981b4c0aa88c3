import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
@_spi(Tooling) import TelemetryTransport
import Testing

struct ArchivedLinesTests {
    /// A line that should have been read was left to a decoder, or the reverse.
    private struct Unread: Error {}

    @Test("Any event is read from its coding as a decoder reads it, whatever the order of its keys")
    func generated() throws {
        var generator = EventGenerator(seed: randomSeed)
        let encoder = JSONEncoder()
        var lines: [Data] = []
        for number in 0..<2_000 {
            encoder.outputFormatting = number.isMultiple(of: 3) ? [] : [.sortedKeys, .withoutEscapingSlashes]
            lines.append(try encoder.encode(generator.event()))
        }
        let expected = try lines.map { try JSONDecoder().decode(TelemetryEvent.self, from: $0) }
        let bytes = Array("skipped\n".utf8) + lines.flatMap { Array($0) + [0x0A] } + Array("skipped".utf8)
        var found: [TelemetryEvent] = []
        for read in ArchivedLines.read(bytes, in: 8..<bytes.count - 7) {
            switch read {
            case .events(let batch):
                #expect(batch.count == batch.events.count)
                found += batch.events
            case .other(let line): Issue.record("\(String(decoding: bytes[line], as: UTF8.self)) is not read")
            }
        }
        #expect(found == expected, "seed \(randomSeed)")
        #expect(found.map { Array($0.name.utf8) } == expected.map { Array($0.name.utf8) }, "seed \(randomSeed)")
        #expect(found.map { Array($0.eventId.utf8) } == expected.map { Array($0.eventId.utf8) }, "seed \(randomSeed)")
    }

    @Test("Events are stored in order, with the identities that they have as values")
    func storing() async throws {
        try await withTemporaryDirectory { directory in
            var generator = EventGenerator(seed: randomSeed)
            let lines = try (0..<500).map { _ in try JSONEncoder().encode(generator.event()) }
            let expected = try lines.map { try JSONDecoder().decode(TelemetryEvent.self, from: $0) }
            let store = try FileTelemetryTransport(directory: directory)
            for read in ArchivedLines.read(lines.flatMap { Array($0) + [0x0A] }) {
                guard case .events(let batch) = read else { throw Unread() }
                try await store.append(batch)
            }
            #expect(try await store.fetchAllEvents() == expected, "seed \(randomSeed)")
            try await store.append(expected)
            #expect(try await store.countEvents() == 500, "seed \(randomSeed)")
        }
    }

    @Test("A batch has one client, one session, one device and at most 512 events, and its parts are in order")
    func batches() throws {
        let events =
            events(1...600) + [event(1, client: nil)] + events(1...2, session: "other")
            + events(3...4, client: "c", session: "other")
        let read = ArchivedLines.read(try bytes(of: events))
        let batches: [TelemetryEventBatch] = read.compactMap { if case .events(let batch) = $0 { batch } else { nil } }
        #expect(batches.count == read.count)
        #expect(batches.map(\.count) == [512, 88, 1, 2, 2])
        #expect(batches.flatMap(\.events) == events)
        #expect(batches[1][3..<5].events == Array(events[515..<517]))
        #expect(batches[1][3..<5][1..<2].events == [events[516]])
    }

    @Test(
        "A line that is unusual or invalid is left to a decoder, and the events around it are read",
        arguments: [
            "", "{}", "text", #"{"record":{}}"#, line(#""extra":1"#), line(#""sequence":1"#),
            line(#""attributes":{"a":1,"a":2}"#),
            line("\"attributes\":{\"\u{e9}\":1,\"e\u{301}\":2}"), line(#""attributes":{"a":1,"\u0061":2}"#),
            line(#""attributes":{"a":[1]}"#),
            line(#""attributes":{\#((0...20).map { "\"a\($0 % 20)\":1" }.joined(separator: ","))}"#),
            line(#""scenario":null"#), line(#""property1":"\ud83d""#), line(#""property1":"a"#), line(#""property1":1"#),
            line("\"property1\":\"\t\""), line(#""clientid":"else""#) + "x",
        ])
    func unusual(line: String) throws {
        let before = try bytes(of: events(1...2))
        let bytes = before + Array(line.utf8) + [0x0A] + (try self.bytes(of: [event(3)]))
        let read = ArchivedLines.read(bytes)
        try #require(read.count == 3)
        guard case .events(let first) = read[0], case .other(let place) = read[1], case .events(let last) = read[2] else {
            throw Unread()
        }
        #expect(first.events == events(1...2))
        #expect(place == before.count..<before.count + line.utf8.count)
        #expect(last.events == [event(3)])
    }

    @Test("Bytes that are not valid UTF-8 are left to a decoder", arguments: ["session", "name", "client", "other"])
    func encoding(text: String) throws {
        var bytes = try bytes(of: [event(1, property1: "other")])
        let place = try #require(bytes.firstRange(of: Array("\"\(text)\"".utf8)))
        bytes[place.lowerBound + 1] = 0xFF
        let read = ArchivedLines.read(bytes)
        #expect(read.count == 1)
        if case .events? = read.first { Issue.record("The line is read.") }
    }

    @Test("Up to any number of attributes are read if their names differ", arguments: [0, 1, 16, 17, 300])
    func attributes(count: Int) throws {
        let event = TelemetryEvent(
            eventId: "s-1", sessionId: "s", sequence: 1, name: "n", timestamp: Date(timeIntervalSince1970: 1_790_000_000),
            attributes: Dictionary(uniqueKeysWithValues: (0..<count).map { ("name \($0)", .int(Int64($0))) }))
        guard case .events(let batch)? = ArchivedLines.read(try bytes(of: [event])).first else { throw Unread() }
        #expect(batch.events == [event])
    }

    private func bytes(of events: [TelemetryEvent]) throws -> [UInt8] {
        try events.flatMap { Array(try JSONEncoder().encode($0)) + [0x0A] }
    }

    /// The line of an event with one more member.
    private static func line(_ member: String) -> String {
        #"{"eventId":"session-9","eventName":"n","eventTimestamp":"2026-11-20T00:00:00.000Z","sessionId":"session","#
            + #""deviceType":"t","deviceName":"n","deviceModel":"m","osVersion":"o","appVersion":"1","threadId":"1","#
            + #""logLevel":"info","sequence":9,\#(member)}"#
    }
}

extension ArchivedLines {
    fileprivate static func read(_ bytes: [UInt8]) -> [ArchivedLines] { read(bytes, in: 0..<bytes.count) }
}
