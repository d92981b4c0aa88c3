#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@_spi(Tooling)
extension JSONValue {
    /// The value as an event's attribute: an integer above `Int64.max` as its digits, an array or object as JSON text with
    /// sorted keys, and null as nil.
    public var attribute: TelemetryValue? {
        switch self {
        case .null: nil
        case .bool(let value): .bool(value)
        case .int(let value): .int(value)
        case .unsigned(let value): Int64(exactly: value).map(TelemetryValue.int) ?? .string(String(value))
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .array, .object: text.map(TelemetryValue.string)
        }
    }

    private var text: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }
}
