public import TelemetryModels

/// A backup of the settings outside the app, which survives a reinstallation.
///
/// A backup can also keep the pending work, so that a new installation carries out deletions that this one still has to make. The
/// defaults of the two requirements for it keep the settings alone.
public protocol TelemetrySettingsBackingUp: Sendable {
    /// Replaces the backup, which then has no pending work.
    func saveSettings(_ settings: TelemetrySettings) async throws

    /// Replaces the backup, with the pending work.
    func saveSettings(_ settings: TelemetrySettings, pendingWork: TelemetryPendingWork) async throws

    /// Returns the backup; nil if there is none.
    /// - Throws: An error if the backup cannot be reached or read.
    func loadSettings() async throws -> TelemetrySettings?

    /// Returns the backup's pending work; empty if there is none.
    /// - Throws: An error if the backup cannot be reached or read.
    func loadPendingWork() async throws -> TelemetryPendingWork

    /// Removes the backup. Does nothing if there is none.
    func clearSettings() async throws
}

extension TelemetrySettingsBackingUp {
    public func saveSettings(_ settings: TelemetrySettings, pendingWork: TelemetryPendingWork) async throws {
        try await saveSettings(settings)
    }

    public func loadPendingWork() async throws -> TelemetryPendingWork { TelemetryPendingWork() }
}
