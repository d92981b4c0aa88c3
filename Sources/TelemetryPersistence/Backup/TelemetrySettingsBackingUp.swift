public import TelemetryModels

/// A backup of the settings outside the app, which survives a reinstallation.
public protocol TelemetrySettingsBackingUp: Sendable {
    /// Replaces the backup.
    func saveSettings(_ settings: TelemetrySettings) async throws

    /// Returns the backup; nil if there is none.
    /// - Throws: An error if the backup cannot be reached or read.
    func loadSettings() async throws -> TelemetrySettings?

    /// Removes the backup. Does nothing if there is none.
    func clearSettings() async throws
}
