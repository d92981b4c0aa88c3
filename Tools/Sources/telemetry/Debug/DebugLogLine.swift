import Foundation
import ViewerKit

/// A debug entry, as text and as JSON.
struct DebugLogLine: Sendable, Equatable {
    /// Date, level, source, name, payload and correlation identifier.
    let text: String
    /// The entry as one line of JSON with sorted keys.
    let json: String

    /// - Throws: `ToolFailure` if the value is not a debug entry.
    init(_ entry: Any) throws {
        guard let entry = entry as? [String: Any], let time = entry["timestamp"] as? String,
            let event = entry["event"] as? String,
            let level = entry["level"] as? String, let source = entry["source"] as? String,
            let correlation = entry["correlation_id"] as? String
        else { throw ToolFailure(.data, "The relay's response contains an invalid debug entry.") }
        let payload = entry["payload"] as? [String: Any] ?? [:]
        let columns = [
            time, level.uppercased().padding(toLength: 5, withPad: " ", startingAt: 0),
            source.padding(toLength: 7, withPad: " ", startingAt: 0), event,
        ]
        let shown = columns + (payload.isEmpty ? [] : [try Self.line(payload)]) + [correlation]
        // Entries are untrusted, so control characters are escaped.
        text = shown.joined(separator: " ").visible
        json = try Self.line(entry)
    }

    private static func line(_ object: [String: Any]) throws -> String {
        let data = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: JSONBytes.escapingControls(in: data), as: UTF8.self)
    }
}
