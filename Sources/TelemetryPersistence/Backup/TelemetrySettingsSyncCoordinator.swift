import Foundation
public import TelemetryModels

/// Saves settings to a backup and reads them back. The caller applies the settings.
public actor TelemetrySettingsSyncCoordinator {
    /// The progress of a restore.
    public enum RestoreState: Sendable, Equatable {
        /// No restore was started.
        case pending
        /// The backup is being read.
        case restoring
        /// A backup was found.
        case restored(TelemetrySettings)
        /// There is no backup.
        case fresh
        /// The backup could not be reached or read, for this reason.
        case failed(String)
    }

    /// The state of the last restore.
    public private(set) var state: RestoreState = .pending
    private let backupClient: any TelemetrySettingsBackingUp
    private var restoration: Task<(RestoreState, TelemetryPendingWork), Never>?

    /// Creates a coordinator for a backup. Reads nothing.
    public init(backupClient: any TelemetrySettingsBackingUp) {
        self.backupClient = backupClient
    }

    /// Replaces the backup.
    /// - Throws: The backup's error.
    public func backupSettings(_ settings: TelemetrySettings) async throws {
        try await backupClient.saveSettings(settings)
    }

    package func backUp(_ settings: TelemetrySettings, pendingWork: TelemetryPendingWork) async throws {
        try await backupClient.saveSettings(settings, pendingWork: pendingWork)
    }

    /// Reads the backup and returns the new ``state``. Overlapping calls share one read, which continues if a caller is
    /// cancelled.
    @discardableResult
    public func restoreSettingsFromBackup() async -> RestoreState { await restore().0 }

    /// Reads the backup with its pending work.
    package func restore() async -> (RestoreState, TelemetryPendingWork) {
        if let restoration { return await restoration.value }
        state = .restoring
        let restoration = Task { await readBackup() }
        self.restoration = restoration
        return await restoration.value
    }

    /// Removes the backup. The state does not change.
    /// - Throws: The backup's error.
    public func clearBackup() async throws {
        try await backupClient.clearSettings()
    }

    private func readBackup() async -> (RestoreState, TelemetryPendingWork) {
        let result: RestoreState
        var work = TelemetryPendingWork()
        do {
            let settings = try await backupClient.loadSettings()
            if settings != nil { work = try await backupClient.loadPendingWork() }
            result = settings.map(RestoreState.restored) ?? .fresh
        } catch {
            result = .failed(error.localizedDescription)
        }
        state = result
        restoration = nil
        return (result, work)
    }
}
