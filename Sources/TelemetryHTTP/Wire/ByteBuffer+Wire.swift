import Foundation
import TelemetryModels
import TelemetrySystem
import TelemetryTransport

/// JSON in the relay's format.
extension ByteBuffer {
    var data: Data { Data(bytes) }

    /// Appends a member of an object: a comma, unless it is the first, the name and the text.
    func append(member name: StaticString, _ text: String, isFirst: inout Bool) {
        append(name: name, isFirst: &isFirst)
        append(quoted: text)
    }

    func append(name: StaticString, isFirst: inout Bool) {
        if isFirst { isFirst = false } else { append(UInt8(ascii: ",")) }
        append(UInt8(ascii: "\""))
        append(literal: name)
        append(literal: "\":")
    }

    /// Appends a value. A double without a fraction is written with ".0" or an exponent, which distinguishes it from an integer.
    /// Returns false for a date outside the years 1 to 9999.
    func append(wire value: TelemetryValue) -> Bool {
        switch value {
        case .string(let text): append(quoted: text)
        case .int(let number): append(decimal: number)
        case .bool(let flag): append(literal: flag ? "true" : "false")
        case .double(let number) where number.isFinite: append(number.description)
        case .double(let number):
            append(literal: "{\"double\":")
            append(quoted: number.isNaN ? "nan" : number < 0 ? "-inf" : "inf")
            append(UInt8(ascii: "}"))
        case .date(let date):
            guard let text = TimestampFormat.string(from: date) else { return false }
            append(literal: "{\"date\":\"")
            append(text)
            append(literal: "\"}")
        }
        return true
    }

    /// Appends fields or attributes. Returns the name of one whose date cannot be written; nil if there is none.
    func append(wire values: [String: TelemetryValue]) -> String? {
        append(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in values {
            if isFirst { isFirst = false } else { append(UInt8(ascii: ",")) }
            append(quoted: name)
            append(UInt8(ascii: ":"))
            guard append(wire: value) else { return name }
        }
        append(UInt8(ascii: "}"))
        return nil
    }
}
