import Foundation
import TelemetryModels
import TelemetrySystem
import Testing

@testable import TelemetryTransport

/// Lines as the store writes them are read in that order, any other line key by key.
struct WrittenLineTests {
    private static let text = "\u{0}\n\r\t\"\\/ {}[],: déjà 👩‍👩‍👧 \u{2028}\u{feff}\u{10ffff}"

    private static let events: [TelemetryEvent] = (1...40).map { event($0) }

    private static func event(_ index: Int) -> TelemetryEvent {
        let numbered = index % 4 == 1 ? index + 5 : index
        let attributes: [String: TelemetryValue] = ["key \(text)": .string(text), "number": 7]
        return TelemetryEvent(
            eventId: index % 4 == 0 ? "other \(text)" : "session-\(numbered)", clientId: "client", sessionId: "session",
            sequence: UInt64(index), name: index % 3 == 0 ? "name \(text)" : "a name of more than 15 bytes",
            timestamp: Date(timeIntervalSince1970: 1_800_000_000 + Double(index) / 7), threadId: "\(index % 5)",
            property1: index % 2 == 0 ? text : nil, attributes: index % 6 == 0 ? attributes : [:],
            scenario: index % 7 == 0 ? nil : "scenario \(index % 3)", level: index % 10 == 0 ? .diagnostic : .info)
    }

    private static func lines(of events: [TelemetryEvent]) -> [[UInt8]] {
        var encoder = EventLineEncoder()
        for event in events {
            let isWritten = encoder.append(event)
            #expect(isWritten)
        }
        return encoder.buffer.bytes.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    }

    /// A line for each event, and the header that applies to it.
    private static func written() throws -> [(context: EventContext, line: [UInt8])] {
        var decoder = EventLineDecoder()
        var written: [(context: EventContext, line: [UInt8])] = []
        for line in lines(of: events) {
            if case .header = line.withUnsafeBufferPointer({ decoder.decode($0) }) { continue }
            written.append((try #require(decoder.context), line))
        }
        return written
    }

    /// What a line is read as below a header.
    private static func read(_ line: [UInt8], below context: EventContext?) -> TelemetryEvent? {
        var decoder = EventLineDecoder(context: context)
        guard case .event(let event) = line.withUnsafeBufferPointer({ decoder.decode($0) }) else { return nil }
        return event
    }

    /// The same line with a space after its first brace, which the store does not write.
    private static func spaced(_ line: [UInt8]) -> [UInt8] { [UInt8(ascii: "{"), UInt8(ascii: " ")] + line.dropFirst() }

    @Test("Both readings of a line give the event that was written")
    func same() throws {
        let written = try Self.written()
        #expect(written.count == Self.events.count)
        #expect(!written.allSatisfy { $0.context.tables.names.texts.isEmpty })
        for ((context, line), event) in zip(written, Self.events) {
            #expect(Self.read(line, below: context) == event)
            #expect(Self.read(Self.spaced(line), below: context) == event)
        }
    }

    @Test("A line that is cut, or has another byte, is read the same in both ways, or in neither")
    func damaged() throws {
        for (context, line) in try Self.written() {
            for index in 1..<line.count {
                var other = line
                other[index] = UInt8(ascii: "\"")
                for damaged in [Array(line[..<index]), other, Array(line[..<index] + line[(index + 1)...])] {
                    #expect(Self.read(damaged, below: context) == Self.read(Self.spaced(damaged), below: context))
                }
            }
        }
    }

    @Test("The texts of a pool are those that were asked for, whichever were read before")
    func pool() {
        var pool = TextPool()
        for index in 0..<2_000 {
            let text = String(repeating: "é", count: index % 13) + "\(index % 97)" + String(repeating: "x", count: index % 19)
            let found = text.withBytes { pool.text(of: $0) }
            #expect(found == text)
        }
        let invalid: [UInt8] = [0xC3]
        let found = invalid.withUnsafeBufferPointer { pool.text(of: $0) }
        #expect(found == nil)
    }

    @Test(
        "An identifier has the same key as a text and as a prefix with a number",
        arguments: ["session", "", "a-1", "sessïon", "e\u{301}"],
        [0, 1, 63, 64, 999, 999_999_999_999_999_999, 9_999_999_999_999_999_999, 10_000_000_000_000_000_000, UInt64.max])
    func keys(prefix: String, number: UInt64) {
        var (texts, numbers) = (EventKeyMaker(secret: (1, 2)), EventKeyMaker(secret: (1, 2)))
        _ = texts.key(of: "another-7")
        let (text, composed) = (texts.key(of: "\(prefix)-\(number)"), numbers.key(of: prefix, number))
        #expect(text.key == composed.key)
        #expect(text.bit == composed.bit)
    }
}
