import Foundation
@_spi(Tooling) import TelemetryModels

/// Writes a list of `KeyValue` messages into JSON.
struct AttributeList {
    private var isEmpty = true

    /// Begins the list, with the key `attributes`.
    init(to output: inout JSONOutput) { output.raw("\"attributes\":[") }

    func end(to output: inout JSONOutput) { output.raw("]") }

    /// Appends a text, unless it is nil or empty.
    mutating func add(_ key: String, text: String?, to output: inout JSONOutput) {
        guard let text, !text.isEmpty else { return }
        add(key, .string(text), to: &output)
    }

    mutating func add(_ key: String, _ value: TelemetryValue, to output: inout JSONOutput) {
        if !isEmpty { output.raw(",") }
        isEmpty = false
        output.raw("{\"key\":")
        output.string(key)
        output.raw(",\"value\":{")
        switch value {
        case .string(let text):
            output.raw("\"stringValue\":")
            output.string(text)
        case .int(let number):
            output.raw("\"intValue\":")
            output.quoted(number)
        case .double(let number):
            output.raw("\"doubleValue\":")
            output.double(number)
        case .bool(let flag): output.raw(flag ? "\"boolValue\":true" : "\"boolValue\":false")
        case .date(let date):
            output.raw("\"stringValue\":")
            output.string(Self.text(of: date))
        }
        output.raw("}}")
    }

    /// A date in UTC (RFC 3339); one outside the years 1 to 9999 becomes the nearest one inside.
    private static func text(of date: Date) -> String {
        TimestampText.string(from: date)
            ?? (date < Date(timeIntervalSince1970: 0) ? "0001-01-01T00:00:00.000Z" : "9999-12-31T23:59:59.999Z")
    }
}
