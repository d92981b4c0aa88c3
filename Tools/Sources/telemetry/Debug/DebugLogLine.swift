import Foundation
import ViewerKit

/// A debug entry, as a person and as a program reads it.
struct DebugLogLine: Sendable, Equatable {
    /// When, how grave, where from, what, the payload, and the operation that it belongs to.
    let text: String
    /// The entry in one line, its keys sorted.
    let json: String

    /// - Throws: `ToolFailure` where it is no entry.
    init(_ entry: Any) throws {
        guard let entry = entry as? [String: Any], let time = entry["timestamp"] as? String,
            let event = entry["event"] as? String,
            let level = entry["level"] as? String, let source = entry["source"] as? String,
            let correlation = entry["correlation_id"] as? String
        else { throw ToolFailure(.data, "The relay answered with something that is no debug entry.") }
        let payload = entry["payload"] as? [String: Any] ?? [:]
        let columns = [
            time, level.uppercased().padding(toLength: 5, withPad: " ", startingAt: 0),
            source.padding(toLength: 7, withPad: " ", startingAt: 0), event,
        ]
        let shown = columns + (payload.isEmpty ? [] : [try Self.line(payload)]) + [correlation]
        // An entry comes from outside: what would steer the terminal is shown instead.
        text = shown.joined(separator: " ").visible
        json = try Self.line(entry)
    }

    private static func line(_ object: [String: Any]) throws -> String {
        let data = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: JSONBytes.escapingControls(in: data), as: UTF8.self)
    }
}
