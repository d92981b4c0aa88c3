import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

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
        if let date, let parsed = TimestampText.date(from: date) { return (.date(parsed), date) }
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

    /// Writes a value. A date has the text that it came with, if it came with one.
    static func write(_ value: TelemetryValue, dateText: String?, to writer: inout JSONWriter) {
        guard case .date(let date) = value else {
            _ = writer.wireValue(value)
            return
        }
        writer.object { writer in
            writer.key("date")
            if let text = dateText ?? TimestampText.string(from: date) { writer.string(text) } else { writer.raw("null".utf8) }
        }
    }

    func write(to writer: inout JSONWriter) { Self.write(value, dateText: dateText, to: &writer) }
}
