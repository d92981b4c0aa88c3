package import Foundation

/// Looks up the strings of the user interface: in the host's string table if it has the text, otherwise in the package's.
package enum TelemetryTexts {
    /// The host's table, `LiveTelemetry.strings` or `LiveTelemetry.xcstrings` in the app itself.
    package static let hostTable = "LiveTelemetry"

    /// Whether the host's table has a text for the key.
    package static func isReworded(_ key: String, in host: Bundle = .main) -> Bool {
        let missing = "\u{0}"
        return host.localizedString(forKey: key, value: missing, table: hostTable) != missing
    }
}
