import Foundation
public import TelemetryModels

/// Saves settings to a backup and reads them back; what becomes of settings that were read back is its caller's choice.
public actor TelemetrySettingsSyncCoordinator {
    /// How far reading back has come.
    public enum RestoreState: Sendable, Equatable {
        /// Nobody asked yet.
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

    /// The outcome of the last restore.
    public private(set) var state: RestoreState = .pending
    private let backupClient: any TelemetrySettingsBackingUp
    private var restoration: Task<RestoreState, Never>?

    /// Creates a coordinator over a backup; it reads nothing yet.
    public init(backupClient: any TelemetrySettingsBackingUp) {
        self.backupClient = backupClient
    }

    /// Replaces the backup.
    /// - Throws: what the backup throws.
    public func backupSettings(_ settings: TelemetrySettings) async throws {
        try await backupClient.saveSettings(settings)
    }

    /// Reads the backup and returns what came of it, which is the state from then on. Calls that overlap share one reading,
    /// which goes on where a caller is cancelled.
    @discardableResult
    public func restoreSettingsFromBackup() async -> RestoreState {
        if let restoration { return await restoration.value }
        state = .restoring
        let restoration = Task { await readBackup() }
        self.restoration = restoration
        return await restoration.value
    }

    /// Removes the backup. The state stays what the last reading made it.
    /// - Throws: what the backup throws.
    public func clearBackup() async throws {
        try await backupClient.clearSettings()
    }

    private func readBackup() async -> RestoreState {
        let result: RestoreState
        do {
            result = try await backupClient.loadSettings().map(RestoreState.restored) ?? .fresh
        } catch {
            result = .failed(error.localizedDescription)
        }
        state = result
        restoration = nil
        return result
    }
}
