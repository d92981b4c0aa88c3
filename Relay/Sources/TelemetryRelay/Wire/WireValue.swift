import Foundation
import TelemetryModels

/// The JSON form of a value of a record field or event attribute.
struct WireValue: Equatable {
    let value: TelemetryValue
    /// The original text of a date.
    var dateText: String?

    /// Reads a string, a boolean, a number, `{"date": …}` or `{"double": …}`; nil for `null`.
    init?(_ reader: inout JSONReader, name: String) throws {
        switch try reader.kind() {
        case .null:
            _ = try reader.null()
            return nil
        case .string: value = .string(try reader.string())
        case .bool: value = .bool(try reader.bool())
        case .number:
            switch try reader.number() {
            case .int(let number): value = .int(number)
            case .double(let number): value = .double(number)
            }
        case .object: (value, dateText) = try Self.tagged(&reader, name: name)
        case .array: throw Self.unknownKind(name)
        }
    }

    private static func tagged(_ reader: inout JSONReader, name: String) throws -> (TelemetryValue, String?) {
        var date: String?
        var double: Double?
        try reader.object { key, reader in
            switch (key, try reader.kind()) {
            case ("date", .string):
                guard let text = WireTime.normalized(try reader.name()) else {
                    throw Problem.invalidArgument("\(DebugLogBatch.shortened(name)) is not an RFC 3339 time in UTC.")
                }
                date = text
            case ("double", .string): double = number(from: try reader.name())
            case ("double", .number):
                switch try reader.number() {
                case .int(let number): double = Double(number)
                case .double(let number): double = number
                }
            default: try reader.skip()
            }
        }
        if let date, let parsed = WireTime.date(from: date) { return (.date(parsed), date) }
        guard let double else { throw unknownKind(name) }
        return (.double(double), nil)
    }

    private static func unknownKind(_ name: String) -> Problem {
        .invalidArgument(
            #"\#(DebugLogBatch.shortened(name)) must be a string, a number, a boolean, {"date": …} or {"double": …}."#)
    }

    private static func number(from text: String) -> Double? {
        switch text.lowercased() {
        case "nan": .nan
        case "inf", "+inf": .infinity
        case "-inf": -.infinity
        default: Double(text)
        }
    }

    /// Writes a value. A date without a text is formatted by ``WireTime/text(of:)``.
    static func write(_ value: TelemetryValue, dateText: String?, to writer: inout JSONWriter) {
        switch value {
        case .string(let text): writer.string(text)
        case .bool(let flag): writer.raw(flag ? "true" : "false")
        case .int(let number): writer.raw("\(number)")
        // The description of a finite double has a fraction or an exponent: `2.0`, `1e+20`.
        case .double(let number) where number.isFinite: writer.raw(number.description)
        case .double(let number):
            writer.object { $0.member("double", number.isNaN ? "nan" : number < 0 ? "-inf" : "inf") }
        case .date(let date):
            writer.object { writer in
                writer.key("date")
                if let text = dateText ?? WireTime.text(of: date) { writer.string(text) } else { writer.raw("null") }
            }
        }
    }

    func write(to writer: inout JSONWriter) { Self.write(value, dateText: dateText, to: &writer) }
}
