@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import Testing

struct JSONReaderTests {
    private func skip(_ text: some Sequence<UInt8>) throws { try JSONReader.read(text) { try $0.skip() } }

    @Test(
        "Valid JSON is read",
        arguments: [
            "null", " true ", "[]", "{}", "[1,2.5,-0,1e5,1E-5]", #"{"a":{"b":[{}]},"":"\u00e9\ud83d\ude00\n\/"}"#,
            "\"\u{1F600}\u{7F}\"",
        ])
    func valid(text: String) throws { try skip(text.utf8) }

    @Test(
        "Malformed JSON is refused",
        arguments: [
            "", " ", "nul", "tru", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "01", "1.", ".5", "1e", "+1",
            "-", "--1",
            "\"", "\"\\x\"", "\"\\u12\"", #""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, "\"\n\"", "1 2", "[}", "NaN", "'a'",
            "\u{FEFF}1",
        ])
    func invalid(text: String) {
        #expect(throws: JSONReaderError.self) { try skip(text.utf8) }
    }

    @Test(
        "A refusal has a reason and the place of the fault",
        arguments: [
            ("[1, \"a\nb\"]", "a string contains a control character (at byte 6)"),
            ("[1, \"a", "a string is not terminated (at byte 6)"), (#"["\ud800"]"#, "a string has an invalid escape (at byte 1)"),
            ("[1", "the text is truncated (at byte 2)"), ("[1.]", "a number lacks a digit (at byte 3)"),
            ("1 2", "there is more than one value (at byte 2)"), ("[x]", "this is not JSON (at byte 1)"),
        ])
    func reasons(text: String, reason: String) {
        #expect { try skip(text.utf8) } throws: { ($0 as? JSONReaderError)?.description == reason }
    }

    @Test("Bytes that are not UTF-8 are refused in values and names")
    func encoding() {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] {
            #expect(throws: JSONReaderError.self) { try skip([0x22] + bytes + [0x22]) }
            #expect(throws: JSONReaderError.self) { try skip([0x7B, 0x22] + bytes + [0x22, 0x3A, 0x31, 0x7D]) }
        }
    }

    /// A text with consecutive combining characters of two classes in the wrong order, with or without escapes.
    private static func marks(_ count: Int, escaped: Bool = false) -> String {
        "a" + String(repeating: escaped ? #"\u0301\u0323"# : "\u{301}\u{323}", count: count / 2)
    }

    @Test("Names have at most 30 combining characters in a row, values any number", arguments: [false, true])
    func combining(escaped: Bool) throws {
        let (safe, unsafe) = (Self.marks(30, escaped: escaped), Self.marks(32, escaped: escaped))
        for text in [#"{"\#(safe)":1,"\#(safe)b\#(safe)":2}"#, #"{"a":["\#(unsafe)","\#(unsafe)"]}"#] {
            try skip(text.utf8)
        }
        for text in [#"{"\#(unsafe)":1}"#, #"[{"a":{"b" : 1, "\#(unsafe)" : "x"}}]"#] {
            #expect(throws: JSONReaderError.self) { try skip(text.utf8) }
        }
    }

    @Test("A value is read as it is, up to a depth; what is nested deeper or beyond a double says where")
    func values() throws {
        func read(_ text: String, depth: Int = 3) throws -> JSONValue {
            try JSONReader.read(text.utf8) { try JSONValue(reading: &$0, depth: depth) }
        }
        let numbers = #"[1,-1,1.0,1e3,0.5,18446744073709551615,-9223372036854775808,1e30,0]"#
        #expect(
            try read(#"{"a":\#(numbers),"b":[true,null,"c"]}"#)
                == .object([
                    "a": .array([
                        .int(1), .int(-1), .int(1), .int(1_000), .double(0.5), .unsigned(.max), .int(.min), .double(1e30),
                        .int(0),
                    ]),
                    "b": .array([.bool(true), .null, .string("c")]),
                ]))
        for text in ["-0", "-0.0"] {
            guard case .double(let zero) = try read(text) else {
                Issue.record("\(text) is no double")
                return
            }
            #expect(zero.sign == .minus)
        }
        #expect(try read("[[[1]]]") == .array([.array([.array([.int(1)])])]))
        for (text, reason, path) in [
            (#"{"a":{"b":[[1]]}}"#, JSONValue.Fault.Reason.depth, ["a", "b"]),
            (#"{"a":{"b":{"c":{}}}}"#, .depth, ["a", "b", "c"]),
            (#"{"a":[1,{"b":-1e400}]}"#, .number, ["a", "b"]),
        ] {
            let fault = #expect(throws: JSONValue.Fault.self) { try read(text) }
            #expect(fault?.reason == reason)
            #expect(fault?.path == path)
        }
        for text in ["nul", "[1,]", "{1:2}", "[1 2]", "-", "\"a"] { #expect(throws: JSONReaderError.self) { try read(text) } }
    }

    @Test("A container is skipped however deep it is")
    func containers() throws {
        let deep = String(repeating: #"[{"a]":"\"}","b":"#, count: 100_000) + "1" + String(repeating: "}]", count: 100_000)
        let rest = try JSONReader.read("[\(deep), 7]".utf8) { reader in
            var values: [JSONValue] = []
            try reader.array { reader in
                guard try reader.kind() == .array else { return values.append(try JSONValue(reading: &reader)) }
                try reader.skipContainer()
            }
            return values
        }
        #expect(rest == [.int(7)])
        #expect(throws: JSONReaderError.self) { try JSONReader.read(deep.dropLast().utf8) { try $0.skipContainer() } }
    }

    @Test("Escapes in strings are decoded")
    func escapes() throws {
        let text = try JSONReader.read(#""\"\\\/\b\f\n\r\t\u0000\u00e9\ud83d\ude00é""#.utf8) { try $0.string() }
        #expect(text == "\"\\/\u{8}\u{C}\n\r\t\u{0}é\u{1F600}é")
    }

    @Test("Integers are distinguished from other numbers")
    func numbers() throws {
        func read(_ text: String) throws -> JSONNumber { try JSONReader.read(text.utf8) { try $0.number() } }
        #expect(try read("1") == .int(1))
        #expect(try read("-9223372036854775808") == .int(.min))
        #expect(try read("1.0") == .double(1))
        #expect(try read("1e2") == .double(100))
        for text in ["9223372036854775808", "1e400", "-1e400"] { #expect(throws: JSONReaderError.self) { try read(text) } }
    }

    @Test("Values may nest up to the limit; deeper ones are refused without being read", arguments: ["[", #"{"a":"#])
    func depth(opening: String) throws {
        let closing = opening == "[" ? "]" : "}"
        func nested(_ depth: Int) -> String {
            String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)
        }
        try skip(nested(JSONReader.maximumDepth).utf8)
        #expect(throws: JSONReaderError.self) { try skip(nested(JSONReader.maximumDepth + 1).utf8) }
        let huge = [UInt8](repeating: UInt8(ascii: "["), count: 4 << 20)
        #expect(throws: JSONReaderError.self) { try JSONReader.read(huge) { try $0.skip() } }
    }

    @Test("Written strings with any characters are read back unchanged")
    func written() throws {
        var generator = SeededGenerator()
        for _ in 0..<200 {
            let scalars = (0..<20).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator)) }
            let text = String(String.UnicodeScalarView(scalars)) + "\u{0}\"\\\u{1F}"
            var writer = JSONWriter()
            writer.string(text)
            #expect(try JSONReader.read(writer.bytes) { try $0.string() }.unicodeScalars.elementsEqual(text.unicodeScalars))
        }
    }
}
