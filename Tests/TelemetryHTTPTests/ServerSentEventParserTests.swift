import Foundation
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryHTTP

struct ServerSentEventParserTests {
    typealias Event = ServerSentEvent

    static let streams: [(text: String, events: [Event])] = [
        ("data: a\n\n", [Event(name: "message", data: "a")]),
        ("data: a\r\rdata: b\r\n\r\ndata: c\n\n", ["a", "b", "c"].map { Event(name: "message", data: $0) }),
        ("\u{FEFF}data: a\n\n", [Event(name: "message", data: "a")]),
        ("\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", [Event(name: "message", data: "b")]),
        ("data:a\ndata:  b\ndata\ndata:\n\n", [Event(name: "message", data: "a\n b\n\n")]),
        (": comment\n:\nevent: record\nid: 7\ndata: {}\n\n", [Event(id: "7", name: "record", data: "{}")]),
        (
            "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
            [
                Event(id: "1", name: "message", data: "a"), Event(id: "1", name: "message", data: "b"),
                Event(id: "", name: "message", data: "c"),
            ]
        ),
        ("id: 1\n\nid: 2\u{0}3\ndata: a\n\n", [Event(id: "1", name: "message", data: "a")]),
        ("event: ready\n\ndata: a\n\n", [Event(name: "message", data: "a")]),
        ("event: ready\ndata\n\n", [Event(name: "ready", data: "")]),
        ("unknown: x\nData: a\n data: b\n\n", []),
        ("data: a\n", []), ("data: a", []), ("", []), ("\n\n\r\r", []),
        ("data: é\u{2028}👩‍👩‍👧\n\n", [Event(name: "message", data: "é\u{2028}👩‍👩‍👧")]),
    ]

    @Test("A stream is parsed as the HTML standard specifies, in pieces of any size", arguments: streams.indices)
    func reads(_ index: Int) throws {
        let (text, events) = Self.streams[index]
        let bytes = Data(text.utf8)
        for size in [1, 2, 3, 7, max(bytes.count, 1)] {
            var parser = ServerSentEventParser()
            var found: [Event] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                found += try parser.consume(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(found == events, "in pieces of \(size)")
        }
    }

    @Test("Bytes that are not UTF-8 are replaced, and parsing continues")
    func replacesWhatIsNotUTF8() throws {
        var parser = ServerSentEventParser()
        let events = try parser.consume(Data([0x64, 0x61, 0x74, 0x61, 0x3A, 0xFF, 0xC0, 0x0A, 0x0A] + Array("data:b\n\n".utf8)))
        #expect(events.map(\.data) == ["\u{FFFD}\u{FFFD}", "b"])
    }

    @Test("A line or an event that is too large throws, so that memory stays bounded")
    func isBounded() throws {
        var parser = ServerSentEventParser(maximumBytes: 100)
        _ = try parser.consume(Data(repeating: 0x3A, count: 100))
        #expect(throws: OversizedServerSentEvent.self) { try parser.consume(Data(repeating: 0x3A, count: 1)) }
        var other = ServerSentEventParser(maximumBytes: 100)
        #expect(throws: OversizedServerSentEvent.self) {
            for _ in 0..<20 { _ = try other.consume(Data("data: 0123456789\n".utf8)) }
        }
    }

    @Test(
        "A retry field is used only if it is a whole number",
        arguments: [
            ("retry: 1500\n", Duration?.some(.milliseconds(1_500))), ("retry: 1.5\n", nil), ("retry: -1\n", nil),
            ("retry\n", nil),
        ])
    func retries(_ text: String, _ expected: Duration?) throws {
        var parser = ServerSentEventParser()
        _ = try parser.consume(Data(text.utf8))
        #expect(parser.retry == expected)
    }

    @Test("Random bytes in random pieces neither trap nor yield more data than they contain")
    func survivesNoise() throws {
        var generator = SeededGenerator(seed: randomSeed)
        let alphabet = Array("data: id event\r\n\u{FEFF}:\0".utf8)
        for _ in 0..<500 {
            var parser = ServerSentEventParser(maximumBytes: 1_000)
            var bytes = 0
            for _ in 0..<10 {
                let count = Int.random(in: 0...40, using: &generator)
                let piece = Data((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 })
                bytes += piece.count
                let held = try parser.consume(piece).reduce(0) { $0 + $1.data.utf8.count }
                #expect(held <= bytes * 3, "seed \(randomSeed)")
            }
        }
    }
}
