import Foundation
import TelemetryModels
import TelemetrySystem
import Testing

@testable import TelemetryTransport

/// Strings that repeat are listed in a header, and the lines below it contain their numbers.
struct HeaderTableTests {
    private static func event(
        _ index: Int, name: String = "request.started", thread: String = "31001", scenario: String? = "NetworkRequests",
        session: String = "session", time: Double? = nil, level: TelemetryLogLevel = .info
    ) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "\(session)-\(index)", clientId: "client", sessionId: session, sequence: UInt64(index), name: name,
            timestamp: Date(timeIntervalSince1970: time ?? 1_800_000_000 + Double(index) / 1_000), threadId: thread,
            property1: "property", scenario: scenario, level: level)
    }

    private static func lines(of events: [TelemetryEvent]) -> [String] {
        var encoder = EventLineEncoder()
        for event in events {
            let isWritten = encoder.append(event)
            #expect(isWritten)
        }
        return String(decoding: encoder.buffer.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func read(_ lines: [String]) -> [TelemetryEvent?] {
        var decoder = EventLineDecoder()
        return lines.compactMap { line in
            switch line.withBytes({ decoder.decode($0) }) {
            case .event(let event): .some(event)
            case .corrupt: .some(nil)
            case .header, .nothing: nil
            }
        }
    }

    /// A header line with the checksum of the header.
    private static func line(ofHeader header: String) -> String {
        let checksum = ByteBuffer()
        checksum.append(hexadecimal: header.withBytes { LineChecksum.hash(UnsafeRawBufferPointer($0)) })
        return #"{"header":\#(header),"checksum":"\#(String(decoding: checksum.bytes, as: UTF8.self))"}"#
    }

    private static let content =
        #"{"session":"s","client":"c","start":"2027-01-15T08:00:00.000Z","names":["a","b"],"threads":["t"],"scenarios":["x"]}"#

    private static let header = line(ofHeader: content)

    @Test("Texts that repeat become numbers once that saves more than a header takes, and events are read as they were")
    func repeated() {
        let events = (0..<400).map {
            Self.event($0, name: "name \($0 % 9)", thread: "\($0 % 5)", scenario: $0 % 11 == 0 ? nil : "scenario \($0 % 3)")
        }
        let lines = Self.lines(of: events)
        #expect(Self.read(lines) == events)
        let headers = lines.filter { $0.hasPrefix("{\"header\"") }
        #expect((2...4).contains(headers.count))
        #expect(lines.suffix(20).contains { $0.contains(/"name":[0-9],"thread":[0-9],"scenario":[0-9],/) })
        #expect(lines.suffix(100).allSatisfy { $0.utf8.count < 90 })
    }

    @Test("What lines leave out because the header has it is listed by the next header, so that headers stay rare")
    func leftOut() {
        let events = (0..<2_000).map {
            Self.event(
                $0, name: "name \($0 % 8)", thread: "3100\($0 / 16 % 4)",
                scenario: ["NetworkRequests", "FileRead", "Checksum"][$0 / 40 % 3])
        }
        let lines = Self.lines(of: events)
        #expect(Self.read(lines) == events)
        #expect(lines.count { $0.hasPrefix("{\"header\"") } < 8)
    }

    @Test("The next header has the level of most events")
    func levels() {
        let events = (0..<300).map { Self.event($0, name: "name \($0 % 3)", level: $0 % 10 == 0 ? .diagnostic : .info) }
        let lines = Self.lines(of: events)
        #expect(Self.read(lines) == events)
        #expect(lines.suffix(100).count { $0.contains("\"level\"") } == 10)
    }

    @Test("A text that does not repeat is in no header")
    func unique() {
        let events = (0..<400).map { Self.event($0, name: "request.\(10_000_000 + $0).finished", thread: "\($0)") }
        let lines = Self.lines(of: events)
        #expect(lines.count == 401)
        #expect(Self.read(lines) == events)
    }

    @Test("Long texts, and those beyond 64 of a key, stay in the lines")
    func bounds() throws {
        let long = String(repeating: "n", count: 129)
        let events = (0..<20_000).map {
            Self.event($0, name: $0 % 8 == 0 ? long : "name \($0 / 8 % 100)", thread: "\($0 / 4 % 90)")
        }
        let lines = Self.lines(of: events)
        #expect(Self.read(lines) == events)
        let size = lines.reduce(0) { $0 + $1.utf8.count }
        let headers = lines.filter { $0.hasPrefix("{\"header\"") }
        #expect(headers.allSatisfy { !$0.contains(long) && $0.utf8.count < 4_096 })
        #expect(headers.map { $0.matches(of: /"name [0-9]+"/).count }.max() == 64)
        #expect(headers.reduce(0) { $0 + $1.utf8.count } < size / 10)
    }

    @Test("Below another session's header nothing is listed at first")
    func sessions() {
        let events = (0..<300).map { Self.event($0, name: "name \($0 % 3)", session: $0 < 200 ? "a" : "b") }
        let lines = Self.lines(of: events)
        #expect(Self.read(lines) == events)
        let first = lines.first { $0.contains("\"session\":\"b\"") }
        #expect(first?.contains("\"names\"") == false)
    }

    @Test("A header is repeated within 64 KiB and an event, with what was used since the last one")
    func distance() {
        let events = (0..<3_000).map { Self.event($0, name: $0 < 100 ? "early \($0 % 2)" : "late \($0 % 2)") }
        let lines = Self.lines(of: events)
        #expect(Self.read(lines) == events)
        var (distance, most) = (0, 0)
        var last = ""
        for line in lines {
            distance += line.utf8.count + 1
            if line.hasPrefix("{\"header\"") { (distance, last) = (0, line) }
            most = max(most, distance)
        }
        #expect(most > 60_000 && most < 66_000)
        #expect(last.contains("\"names\":[\"late 1\",\"late 0\"]") || last.contains("\"names\":[\"late 0\",\"late 1\"]"))
    }

    @Test(
        "Times are read as they were written, before and after the header's, exact or not, and beyond what numbers can say",
        arguments: [
            1_800_000_000, 1_799_999_999.999, 1_800_000_000.000_000_2, 1_800_000_123.456_789, 1_799_000_000.123_456, 0.001, 0,
            -1, -62_000_000_000, 8_999_999_999.5, 9_000_000_000, 200_000_000_000.25, 1_800_000_000.999_999_9,
        ] as [Double], [1_800_000_000, 0.5, -5, 250_000_000_000, 8_999_999_999.999_9] as [Double])
    func times(time: Double, start: Double) throws {
        let events = [Self.event(1, time: start), Self.event(2, time: time)]
        let read = Self.read(Self.lines(of: events))
        #expect(
            read
                == events.map { event in
                    // Dates far from 2001 have no more than nanoseconds.
                    let text = TimestampFormat.string(from: event.timestamp).flatMap { TimestampFormat.date(from: $0) }
                    return text.map { Self.event(Int(event.sequence), time: $0.timeIntervalSince1970) }
                })
    }

    @Test(
        "A number that the header does not explain makes its line unreadable, and no other",
        arguments: [
            #""time":0,"name":2"#, #""time":0,"name":-1"#, #""time":0,"name":0.5"#, #""time":0,"name":18446744073709551616"#,
            #""time":0,"name":null"#, #""time":1.5,"name":0"#, #""time":1e3,"name":0"#, #""time":1.1234567,"name":0"#,
            #""time":9000000000001,"name":0"#, #""time":-1800000000001,"name":0"#, #""time":0,"name":0,"thread":1"#,
            #""time":0,"name":0,"scenario":1"#, #""time":1.  2345,"name":0"#, #""time":- 5,"name":0"#,
        ])
    func unexplained(text: String) {
        let lines = [
            Self.header, "{\"seq\":1,\(text)}", "{ \"seq\":2,\(text)}",
            #"{"seq":3,"time":1.000001,"name":1,"thread":0,"scenario":0}"#,
        ]
        let read = Self.read(lines)
        #expect(read.map { $0 == nil } == [true, true, false])
        #expect(read.last??.name == "b" && read.last??.threadId == "t" && read.last??.scenario == "x")
        #expect(read.last??.timestamp == TimestampFormat.date(from: "2027-01-15T08:00:00.001000001Z"))
    }

    @Test(
        "A table that is not one makes the header unreadable, and so its lines",
        arguments: [
            #"["a",1]"#, #"["a""#, #"[null]"#, #"["a",]"#,
            "[\((0...1_024).map { "\"\($0)\"" }.joined(separator: ","))]",
        ])
    func damagedTables(table: String) {
        let header = Self.line(ofHeader: Self.content.replacing(#"["a","b"]"#, with: table))
        #expect(Self.read([header, #"{"seq":1,"time":0,"name":"n"}"#]) == [nil, nil])
    }

    @Test(
        "After damage that may have left a header in an event's line, no header applies, so that no event gets another one's values",
        arguments: [
            #"{"seq":2,"time":1,"na\0\0eader":{"session":"s","start":"2027-01-15T09:00:00.000Z"},"checksum":"5d2c81f0"}"#,
            #"{"seq":2,"time":1,"# + String(repeating: "\0", count: 300) + "}",
        ])
    func damagedOverHeader(line: String) {
        let next = #"{"seq":3,"time":0,"name":"n"}"#
        #expect(Self.read([Self.header, line, next]).map { $0 == nil } == [true, true])
        #expect(Self.read([Self.header, #"{"seq":2,"time":1,"na\0e":"#, next]).map { $0 == nil } == [true, false])
    }

    @Test("A header that is longer than the distance after which it is repeated is not repeated with every event")
    func longHeader() {
        let scenario = String(repeating: "s", count: 70_000)
        let events = (0..<100).map { Self.event($0, scenario: scenario) }
        let lines = Self.lines(of: events)
        #expect(Self.read(lines) == events)
        #expect(lines.count == 101)
    }

    @Test("A header without tables or start explains no numbers")
    func plainHeader() {
        let lines = [
            Self.line(ofHeader: #"{"session":"s"}"#), #"{"seq":1,"time":0,"name":"n"}"#,
            #"{"seq":2,"time":"2027-01-15T08:00:00.000Z","name":0}"#, #"{"seq":3,"time":"2027-01-15T08:00:00.000Z","name":"n"}"#,
        ]
        #expect(Self.read(lines).map { $0?.sequence } == [nil, nil, 3])
    }
}
