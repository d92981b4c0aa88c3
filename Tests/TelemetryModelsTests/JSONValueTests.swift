import Foundation
@_spi(Tooling) import TelemetryModels
import Testing

struct JSONValueTests {
    private func decode(_ text: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
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
