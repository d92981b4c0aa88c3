import Foundation
@_spi(Tooling) import TelemetryModels
import Testing

struct JSONValueTests {
    private func decode(_ text: String, limit: JSONValue.NestingLimit? = nil) throws -> JSONValue {
        let decoder = JSONDecoder()
        if let limit { decoder.userInfo[try #require(JSONValue.NestingLimit.userInfoKey)] = limit }
        return try decoder.decode(JSONValue.self, from: Data(text.utf8))
    }

    @Test("Arrays and objects up to the limit are decoded, and one level more is an error", arguments: ["[", #"{"a":"#])
    func nesting(opening: String) throws {
        func nested(_ depth: Int) -> String {
            String(repeating: opening, count: depth) + "1" + String(repeating: opening == "[" ? "]" : "}", count: depth)
        }
        let limit = JSONValue.NestingLimit(depth: 3, pathLength: 0)
        #expect(throws: Never.self) { try decode(nested(3), limit: limit) }
        #expect {
            try decode(nested(4), limit: limit)
        } throws: { error in
            guard case .dataCorrupted(let context) = error as? DecodingError else { return false }
            return context.codingPath.isEmpty && context.debugDescription == "values are nested deeper than 3"
        }
        #expect(throws: Never.self) { try decode(nested(100)) }
    }

    @Test("A number out of a double's range is an error")
    func range() {
        #expect {
            try decode("[1, 1e999]")
        } throws: { error in
            guard case .dataCorrupted(let context) = error as? DecodingError else { return false }
            return context.debugDescription == "a number is beyond what a double holds"
        }
    }

    @Test(
        "Values become attributes",
        arguments: [
            ("null", nil), ("true", .bool(true)), ("-3", .int(-3)), ("18446744073709551615", .string("18446744073709551615")),
            ("0.5", .double(0.5)), (#""a/b""#, .string("a/b")), (#"{"b":[1],"a":"c/d"}"#, .string(#"{"a":"c/d","b":[1]}"#)),
        ] as [(String, TelemetryValue?)])
    func attributes(text: String, attribute: TelemetryValue?) throws {
        #expect(try decode(text).attribute == attribute)
    }
}
