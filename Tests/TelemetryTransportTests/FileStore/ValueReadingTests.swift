import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
@_spi(Tooling) import TelemetryTransport
import Testing

/// The line reader and `Codable` read the same form and must agree on every JSON text. In a line, a text that is not JSON is
/// corrupt, even where Foundation's decoder does not notice it.
struct ValueReadingTests {
    @Test(
        "A value in a line is read as Codable reads it",
        arguments: [
            #"{"date":"2026-11-21T08:00:00.000Z","zone":"UTC"}"#, #"{"unit":"s","double":1}"#,
            #"{"x":[1,{"y":null}],"double":"inf","z":{}}"#, #"{"double":1,"x": }"#, #"{"double":1,"x":"\q"}"#,
            #"{"double":1,"x":-}"#, #"{"double":1,"x":01}"#, #"{"double":1,}"#, #"{"double":1 "x":2}"#, #"{"x":1}"#, "{}",
            #"{"double":null}"#, #"{"double":true}"#, #"{"double":"one"}"#, #"{"double":1e400}"#, #"{"double":01}"#,
            #"{"date":null,"double":1}"#, #"{"double":1,"date":"2026-11-21T08:00:00Z"}"#, #"{"date":1,"double":1}"#,
            #"{"double":1,"date":"yesterday"}"#, #"{"double":1,"double":2}"#, #"{"double":null,"double":2}"#,
            #"{"d\u0061te":"2026-11-21T08:00:00Z"}"#, #"{"d\u006fuble":2}"#,
            #"{"date":"2026-11-21T08\u003a00:00Z"}"#, "1.0", "1e3", "-0", "-0.0", "0.5e1", "1e400", "1e-400", "01", "+1", "1.",
            ".5", "-", "1e", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
            "9007199254740993.0", "1e18", "922337203685477580.8e1", "1.5e18", "18446744073709551616",
            "null", "[]", "true", "truee", "nan", #""a""#, #""\ud83d\ude00""#,
            #""\ud83d""#, #""\u12""#, #"{"double":"nan"}"#, #"{"double":"-nan"}"#, #"{"double":"snan"}"#,
            #"{"double":"-snan"}"#, #"{"double":"0x1p3"}"#, #"{"double":" 1"}"#, #"{"double":-0.0}"#, #"{"double":-0}"#,
            #"{"double":-0E+1}"#, #"{"double":-1E-333}"#, #"{"double":1e-400}"#, #"{"double":-1e-400,"double":1}"#,
            #"{"double":-1e-400,"date":"2026-11-21T08:00:00Z"}"#, #"{"double":1e-310}"#, #"{"x":-0.0,"double":-0.0}"#,
        ])
    func known(text: String) { expectSameReading(of: text) }

    @Test("Random values, intact and damaged, are read the same by lines and by Codable")
    func generated() throws {
        var texts = ValueTexts(random: SeededGenerator(seed: randomSeed))
        for _ in 0..<4_000 {
            expectSameReading(of: texts.value(), "seed \(randomSeed)")
            let damaged = texts.damaged()
            if Self.isClear(damaged) { expectSameReading(of: damaged, "seed \(randomSeed)") }
        }
    }

    @Test(
        "Every number is read back from its written text, in lines and by Codable",
        arguments: [
            Double.nan, -.nan, .signalingNaN, -.signalingNaN, Double(nan: 5, signaling: false), Double(nan: 5, signaling: true),
            .infinity, -.infinity, 0, -0.0, 1, 0.1, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
        ])
    func numbers(number: Double) throws {
        let event = TelemetryEvent(
            eventId: "s-1", sessionId: "s", sequence: 1, name: "n", timestamp: Date(timeIntervalSince1970: 0),
            attributes: ["v": .double(number)])
        let line = EventLines.decode(EventLines.encode([event])).first?.attributes["v"]
        let coded = try JSONDecoder().decode(TelemetryEvent.self, from: JSONEncoder().encode(event)).attributes["v"]
        for value in [line, coded] {
            let read = try #require(value?.doubleValue)
            #expect(number.isNaN ? read.isNaN : read == number && read.sign == number.sign)
        }
    }

    /// Whether Foundation always reads a text the same way. It reads a fraction of a number that cannot have one, and 0e2,
    /// differently in different places. A comma before a bracket, which it skips, may also be part of a string. A number beyond a
    /// double's range is not JSON to `JSONSerialization`, even in a member that `JSONDecoder` does not read.
    private static func isClear(_ text: String) -> Bool {
        !text.contains(/\d{15}.*[.eE]/) && !text.contains(/0[eE]/) && !text.contains(/[eE][+-]?\d{3}/)
            && !"\(text)}".contains(/,\s*[}\]]/)
    }

    private func expectSameReading(of text: String, _ comment: String = "") {
        let object = Data(#"{"v":\#(text)}"#.utf8)
        let isJSON =
            (try? JSONSerialization.jsonObject(with: object)) != nil
            && !String(decoding: object, as: UTF8.self).contains(/,\s*[}\]]/)
        let coded = isJSON ? try? JSONDecoder().decode([String: TelemetryValue].self, from: object) : nil
        let line = ReadLine.attributes(#"{"v":\#(text)}"#)
        #expect(
            line.map(String.init(describing:)) == coded.map(String.init(describing:)),
            "\(text) \(comment)")
    }
}

private enum ReadLine {
    /// The attributes of an event whose line has this text for them; nil if the line is corrupt.
    static func attributes(_ text: String) -> [String: TelemetryValue]? {
        let lines = [
            #"{"header":{"session":"s"},"checksum":"0beea8d6"}"#,
            #"{"seq":1,"time":"2026-11-21T08:00:00Z","name":"n","attributes":\#(text)}"#, "",
        ]
        return EventLines.decode(Array(lines.joined(separator: "\n").utf8)).first?.attributes
    }
}

/// Strings of values, most of them valid.
private struct ValueTexts {
    var random: SeededGenerator

    mutating func value() -> String {
        switch random.next() % 4 {
        case 0: return number()
        case 1: return pick([#""a""#, #""\n\\\"""#, #""é\u00e9""#, "true", "false", "null"])
        default: return tagged()
        }
    }

    /// A value with some characters removed, duplicated or replaced.
    mutating func damaged() -> String {
        var characters = Array(value())
        for _ in 0...random.next() % 3 where !characters.isEmpty {
            let index = Int(random.next() % UInt64(characters.count))
            switch random.next() % 3 {
            case 0: characters.remove(at: index)
            case 1: characters.insert(characters[index], at: index)
            default: characters[index] = Array(#"{}[]":,.-+eE0189\u tn"#).randomElement(using: &random) ?? "0"
            }
        }
        return String(characters)
    }

    private mutating func tagged() -> String {
        var members: [String] = []
        for _ in 0...random.next() % 3 {
            switch random.next() % 4 {
            case 0: members.append("\"double\":" + pick([number(), #""inf""#, #""nan""#, #""-0.0""#, #""x""#, "null", "[1]"]))
            case 1: members.append("\"date\":" + pick([date(), date(), #""2026""#, "1", "null"]))
            default: members.append("\(pick([#""x""#, #""x""#, #""\u0064ate""#, #""""#])):\(unknown(depth: 0))")
            }
        }
        return "{" + members.joined(separator: pick([",", " , ", ",\t"])) + "}"
    }

    private mutating func unknown(depth: Int) -> String {
        switch random.next() % (depth < 4 ? 6 : 4) {
        case 0: number()
        case 1: pick([#""a""#, "true", "null", #""\ud83d\ude00""#])
        case 2: "[]"
        case 3: "{}"
        case 4: "[\(unknown(depth: depth + 1)),\(unknown(depth: depth + 1))]"
        default: "{\"k\":\(unknown(depth: depth + 1))}"
        }
    }

    private mutating func number() -> String {
        if random.next() % 4 == 0 { return "\(Int64(bitPattern: random.next()))" + pick(["", "", ".0", ".00e0"]) }
        if random.next() % 4 == 0 { return pick(["0", "-0", "0.0", "-0.0", "0.5"]) }
        let whole = pick(["1", "-1", "12", "900719925"])
        return whole + pick(["", "", "", ".0", ".5", ".25e2", "e2", "E-3", "e+1"])
    }

    private mutating func date() -> String {
        pick([#""2026-11-21T08:00:00Z""#, #""0001-01-01T00:00:00.5Z""#, #""9999-12-31T23:59:59.999999999Z""#])
    }

    private mutating func pick(_ texts: [String]) -> String { texts[Int(random.next() % UInt64(texts.count))] }
}
