public import TelemetryModels

/// A place outside the device, or at least outside the app, where settings survive a reinstall.
public protocol TelemetrySettingsBackingUp: Sendable {
    /// Replaces the backup.
    func saveSettings(_ settings: TelemetrySettings) async throws

    /// The backup, or nil where there is none.
    /// - Throws: where the backup cannot be reached or read.
    func loadSettings() async throws -> TelemetrySettings?

    /// Removes the backup; one that is not there is no error.
    func clearSettings() async throws
}
