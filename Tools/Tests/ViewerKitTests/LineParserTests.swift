import TelemetryModels
import Testing
import ViewerKit

struct LineParserTests {
    @Test("A line is an event with the line as its text")
    func plain() throws {
        #expect(try LineParser(level: .info).parse("hello") == .init(level: .info, text: "hello"))
    }

    @Test(
        "The pattern determines the level",
        arguments: [
            ("[DEBUG] x", TelemetryLogLevel.diagnostic), ("[info] x", .info), ("[Trace] x", .diagnostic), ("[error] x", .info),
            ("no level", .diagnostic),
        ])
    func levels(line: String, level: TelemetryLogLevel) throws {
        let parser = try LineParser(level: .diagnostic, levelPattern: #"^\[(\w+)\]"#)
        #expect(parser.parse(line).level == level)
    }

    @Test("The fields of a JSON object become the event's properties and attributes")
    func json() throws {
        let parser = try LineParser(level: .info, isJSON: true)
        let line = parser.parse(
            #"{"event":"request","msg":"ok","level":"debug","status":200,"time":0.25,"cached":true,"none":null,"tags":["a",{"b":1}]}"#
        )
        #expect(
            line
                == .init(
                    name: "request", level: .diagnostic, text: "ok",
                    attributes: ["severity": "debug", "status": 200, "time": 0.25, "cached": true, "tags": #"["a",{"b":1}]"#]))
        #expect(parser.parse("not json").text == "not json")
        #expect(parser.parse("[1]").text == "[1]")
    }

    @Test("An invalid regular expression is rejected")
    func badPattern() { #expect(throws: ToolFailure.self) { try LineParser(level: .info, levelPattern: "(") } }
}
