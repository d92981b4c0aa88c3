import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// The JSON form of a value of a record field or event attribute.
struct WireValue: Equatable {
    let value: TelemetryValue
    /// The original text of a date.
    var dateText: String?

    /// Reads a string, a boolean, a number, `{"date": …}` or `{"double": …}`; nil for `null`, which lines do not have.
    ///
    /// In JSON, a number with a fraction or an exponent is a double. In lines, it is an integer if it is whole.
    init?(_ reader: inout JSONReader, _ form: EventForm = .json, name: String) throws {
        switch try reader.kind() {
        case .null:
            guard form == .json else { throw Self.unknownKind(name) }
            _ = try reader.null()
            return nil
        case .string: value = .string(try reader.string())
        case .bool: value = .bool(try reader.bool())
        case .number:
            switch try form == .lines ? reader.lineNumber() : reader.number() {
            case .int(let number): value = .int(number)
            case .double(let number): value = .double(number)
            }
        case .object: (value, dateText) = try Self.tagged(&reader, form, name: name)
        case .array: throw Self.unknownKind(name)
        }
    }

    private static func tagged(
        _ reader: inout JSONReader, _ form: EventForm, name: String
    ) throws -> (TelemetryValue, String?) {
        var date: String?
        var double: Double?
        try reader.object { key, reader in
            if form == .lines, key == "date" && date != nil || key == "double" && double != nil { throw unknownKind(name) }
            switch (key, try reader.kind()) {
            case ("date", .string):
                guard let text = WireTime.normalized(try reader.name(), form) else {
                    throw Problem.invalidArgument("\(DebugLogBatch.shortened(name)) is not an RFC 3339 time in UTC.")
                }
                date = text
            case ("double", .string): double = number(from: try reader.name())
            case ("double", .number):
                double = Double(try reader.numberText())
                guard let double, double.isFinite else { throw unknownKind(name) }
            case ("date", _) where form == .lines, ("double", _) where form == .lines: throw unknownKind(name)
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

    /// Writes the value in the form that lines have.
    func writeInLine(to writer: inout JSONWriter) {
        if dateText != nil { write(to: &writer) } else { _ = writer.value(value) }
    }
}
