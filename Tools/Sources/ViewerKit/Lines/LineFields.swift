import Foundation
@_spi(Tooling) import TelemetryModels

/// The fields of a line that is a JSON object. Fields that are understood are taken; the others become attributes.
struct LineFields {
    private static let texts = ["message", "msg"]
    private static let names = ["event", "name"]
    private static let severities = ["severity", "level"]
    private static let times = ["time", "timestamp", "@timestamp", "ts"]

    private var fields: [String: JSONValue]

    init?(_ line: String) {
        guard let fields = try? JSONDecoder().decode([String: JSONValue].self, from: Data(line.utf8)) else { return nil }
        self.fields = fields
    }

    mutating func takeText() -> String? { takeString(Self.texts) }

    mutating func takeName() -> String? { takeString(Self.names) }

    private mutating func takeString(_ names: [String]) -> String? {
        for name in names {
            guard case .string(let text)? = fields[name] else { continue }
            fields[name] = nil
            return text
        }
        return nil
    }

    /// The line's severity, the field that it was in, and the value to keep as an attribute unless the level already says as much.
    mutating func takeSeverity() -> (severity: QuerySeverity, field: String, kept: TelemetryValue?)? {
        for name in Self.severities {
            guard let value = fields[name]?.attribute, let severity = QuerySeverity(value) else { continue }
            fields[name] = nil
            switch value {
            case .string(let word): return (severity, name, Self.isPlain(word) ? nil : value)
            case .int(let number) where number.isMultiple(of: 10) || number < 10:
                return (severity, name, severity == .info ? nil : .string(severity.rawValue))
            // A number between the named ones is a level of the program's own.
            default: return (severity, name, value)
            }
        }
        return nil
    }

    private static func isPlain(_ word: String) -> Bool { ["info", "diagnostic", "diag"].contains(word.lowercased()) }

    /// The line's date. The field stays if a date cannot represent it exactly.
    mutating func takeDate() -> Date? {
        for name in Self.times {
            guard let value = fields[name], let time = LineTime(value) else { continue }
            if time.isExact { fields[name] = nil }
            return time.date
        }
        return nil
    }

    /// The other fields. A null is left out.
    var attributes: [String: TelemetryValue] { fields.compactMapValues(\.attribute) }
}

/// A date as loggers write it: ISO 8601 with a time zone, or seconds, milliseconds, microseconds or nanoseconds since 1970.
struct LineTime {
    let date: Date
    /// Whether the date has all digits of the original.
    let isExact: Bool

    /// Returns nil for other values, and for numbers that are dates before 1973 in every unit, because they may be durations.
    init?(_ value: JSONValue) {
        switch value {
        case .string(let text):
            guard let date = DateParser.timestamp(text) else { return nil }
            self.date = date
            let fraction = text.drop { $0 != "." && $0 != "," }.dropFirst().prefix { $0.isASCII && $0.isNumber }
            isExact = fraction.count <= 6
        case .int(let number):
            guard let unit = Self.unit(of: Double(number)) else { return nil }
            date = Date(timeIntervalSince1970: Double(number) / unit)
            isExact = unit < 1e9 || number.isMultiple(of: 1_000)
        case .double(let number):
            guard let unit = Self.unit(of: number) else { return nil }
            date = Date(timeIntervalSince1970: number / unit)
            isExact = true
        default: return nil
        }
    }

    /// The number of units in a second.
    private static func unit(of number: Double) -> Double? {
        switch number {
        case 1e8..<1e11: 1
        case 1e11..<1e14: 1e3
        case 1e14..<1e17: 1e6
        case 1e17..<9.3e18: 1e9
        default: nil
        }
    }
}
