import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
@_spi(Tooling) import TelemetryTransport
import Testing

struct EventLineOutlineTests {
    private static func outline(_ line: String) -> EventLineOutline? {
        Array(line.utf8).withUnsafeBufferPointer { EventLineOutline($0) }
    }

    @Test("Each line that is written has an outline with the event's values")
    func generated() throws {
        var generator = EventGenerator(seed: randomSeed)
        let events = (0..<2_000).map { _ in generator.event() }.filter { $0.sequence <= Int64.max }
        let lines = EventLines.encode(events).split(separator: 0x0A).filter { $0.starts(with: #"{"seq":"#.utf8) }
        #expect(lines.count == events.count)
        for (line, event) in zip(lines, events) {
            let outline = try #require(line.withUnsafeBufferPointer { EventLineOutline($0) }, "seed \(randomSeed)")
            func text(_ place: Range<Int>) -> String {
                String(decoding: line.dropFirst(place.lowerBound).prefix(place.count), as: UTF8.self)
            }
            #expect(outline.sequence == Int64(event.sequence), "seed \(randomSeed)")
            #expect((outline.attributes == nil) == event.attributes.isEmpty, "seed \(randomSeed)")
            #expect((outline.text == nil) == (event.property1 == nil), "seed \(randomSeed)")
            if case .string(let name) = outline.name, outline.isPlain { #expect(text(name) == event.name, "seed \(randomSeed)") }
            if let level = outline.level { #expect(level == event.level, "seed \(randomSeed)") }
        }
    }

    @Test("Places and numbers are those of the line")
    func values() throws {
        let line =
            #"{"seq":7,"id":3,"time":-12.000345,"name":"n m","thread":2,"scenario":null,"level":"diagnostic","text":"a\n","attributes":{"a":"é","b":-1.5}}"#
        let outline = try #require(Self.outline(line))
        func text(_ place: Range<Int>?) -> String? {
            place.map { String(decoding: Array(line.utf8)[$0], as: UTF8.self) }
        }
        #expect(outline.sequence == 7 && !outline.hasExplicitZero && outline.isPlain && outline.hasPlainAttributes)
        guard case .number(3) = outline.identifier, case .offset(-12_000_345) = outline.time,
            case .string(let name) = outline.name,
            case .number(2) = outline.thread, case .some(nil) = outline.scenario
        else { return #expect(Bool(false), "\(outline)") }
        #expect(text(name) == "n m" && text(outline.text) == #""a\n""# && text(outline.attributes) == #"{"a":"é","b":-1.5}"#)
        #expect(outline.level == .diagnostic)
    }

    @Test(
        "Attributes that readers may read differently are marked",
        arguments: [
            (#"{}"#, true), (#"{"a":1,"b":"","c":true,"d":false,"e":0.5}"#, true), (#"{"a":123456789012345678}"#, true),
            (#"{"a":1234567890123456789}"#, false), (#"{"a":-0}"#, false), (#"{"a":2.0}"#, false), (#"{"a":1e3}"#, false),
            (#"{"a":12345678901234.5}"#, true), (#"{"a":123456789012345.5}"#, false), (#"{"a":1,"a":2}"#, false),
            (#"{"é":1}"#, false), (#"{"\u0061":1}"#, false), (#"{"a": 1}"#, false), (#"{"a":{"double":2.0}}"#, false),
            (#"{"a":null}"#, false), (#"{"a":[]}"#, false),
        ])
    func attributes(object: String, isPlain: Bool) throws {
        let outline = try #require(Self.outline(#"{"seq":1,"time":0,"name":"n","attributes":\#(object)}"#))
        #expect(outline.hasPlainAttributes == isPlain)
        #expect(outline.attributes?.count == object.utf8.count)
    }

    @Test(
        "Strings that may be compared are plain if they are ASCII without escapes",
        arguments: [#""name":"é""#, #""name":"\n""#, #""name":"n","thread":"é""#, #""name":"n","scenario":"\u0041""#])
    func plain(members: String) throws {
        #expect(try !#require(Self.outline(#"{"seq":1,"time":0,\#(members)}"#)).isPlain)
    }

    @Test(
        "A line in another form has none",
        arguments: [
            "", "{", #"{"header":{}}"#, #"{"seq":1,"name":"n","time":0}"#, #"{"seq":1, "time":0,"name":"n"}"#,
            #"{"seq":01,"time":0,"name":"n"}"#, #"{"seq":1,"time":00,"name":"n"}"#, #"{"seq":1,"time":0.5,"name":"n"}"#,
            #"{"seq":1,"time":0,"name":"n"} "#, #"{"seq":1,"time":0,"name":"n"}{"#, #"{"seq":1,"time":0,"name":"n","x":1}"#,
            #"{"seq":1,"time":0,"name":"n","level":"loud"}"#, #"{"seq":9223372036854775808,"time":0,"name":"n"}"#,
            #"{"seq":1,"time":9000000000001,"name":"n"}"#, #"{"seq":1,"time":0,"name":"\e"}"#, #"{"seq":1,"time":0,"name":}"#,
            "{\"seq\":1,\"time\":0,\"name\":\"n\",\"text\":\"\t\"}", #"{"seq":1,"time":0,"name":"n","attributes":[]}"#,
            #"{"seq":1,"time":0,"name":"n","attributes":{"a":1}"#, #"{"seq":1,"sequence":0,"time":0,"name":"n"}"#,
        ])
    func others(line: String) { #expect(Self.outline(line) == nil) }

    @Test("Bytes that are not UTF-8 have none")
    func encoding() {
        for part in ["name", "text"] {
            var line = Array(#"{"seq":1,"time":0,"name":"n","text":"t"}"#.utf8)
            line[line.firstRange(of: Array(#""\#(part)":""#.utf8))!.upperBound] = 0xFF
            #expect(line.withUnsafeBufferPointer { EventLineOutline($0) } == nil)
        }
    }
}
