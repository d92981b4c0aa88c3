package import Foundation

/// Where the texts of the interface come from: a string table of the host's where it has the text, otherwise the package's.
package enum TelemetryTexts {
    /// The host's table, `LiveTelemetry.strings` or `LiveTelemetry.xcstrings` in the app itself.
    package static let hostTable = "LiveTelemetry"

    /// Whether the host's table has a text for the key.
    package static func isReworded(_ key: String, in host: Bundle = .main) -> Bool {
        let missing = "\u{0}"
        return host.localizedString(forKey: key, value: missing, table: hostTable) != missing
    }
}
