public import Foundation
public import TelemetryModels

/// A backup in a file `settings-backup.json`, in a directory that outlives the app, such as a synchronized folder or a volume.
public struct FileTelemetrySettingsBackup: TelemetrySettingsBackingUp {
    private let file: JSONDocumentFile<BackedUpSettings>

    /// - Parameter directory: The file's directory; created by the first save, accessible to its owner only.
    public init(directory: URL) {
        file = JSONDocumentFile(directory: directory, name: "settings-backup", diagnostics: nil)
    }

    /// Replaces the backup, even a corrupt one.
    /// - Throws: An error if the file cannot be written; then the backup is unchanged.
    public func saveSettings(_ settings: TelemetrySettings) async throws {
        try await saveSettings(settings, pendingWork: TelemetryPendingWork())
    }

    /// Replaces the backup, even a corrupt one.
    /// - Throws: An error if the file cannot be written; then the backup is unchanged.
    public func saveSettings(_ settings: TelemetrySettings, pendingWork: TelemetryPendingWork) async throws {
        let backup = BackedUpSettings(settings: settings, pendingWork: pendingWork, lastUpdated: .now)
        let lock = try await file.lock().get()
        try withExtendedLifetime(lock) { try file.write(backup) }
    }

    /// Returns the backup; nil if there is none.
    /// - Throws: ``TelemetrySettingsBackupError/corrupted(_:)`` if the contents are invalid; another error if the file cannot be
    ///   read.
    public func loadSettings() async throws -> TelemetrySettings? { try backup()?.settings }

    /// Returns the backup's pending work; empty if there is none.
    /// - Throws: The same errors as ``loadSettings()``.
    public func loadPendingWork() async throws -> TelemetryPendingWork { try backup()?.pendingWork ?? TelemetryPendingWork() }

    private func backup() throws -> BackedUpSettings? {
        switch try file.contents() {
        case .missing: return nil
        case .found(let backup): return backup
        case .corrupt(let reason): throw TelemetrySettingsBackupError.corrupted("\(file.path): \(reason)")
        }
    }

    public func clearSettings() async throws {
        if case .missing = try file.contents() { return }
        let lock = try await file.lock().get()
        try withExtendedLifetime(lock) { try file.remove() }
    }
}

/// The stored form: the settings' fields, the pending work if there is any, and the date of the save.
private struct BackedUpSettings: Codable, Sendable {
    let settings: TelemetrySettings
    let pendingWork: TelemetryPendingWork
    let lastUpdated: Date

    private enum CodingKeys: String, CodingKey { case telemetryRequested, telemetrySendingEnabled, pendingWork, lastUpdated }

    init(settings: TelemetrySettings, pendingWork: TelemetryPendingWork, lastUpdated: Date) {
        self.settings = settings
        self.pendingWork = pendingWork
        self.lastUpdated = lastUpdated
    }

    /// Unlike settings, which decode an object without fields as the defaults, a backup requires its fields.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        for key in [CodingKeys.telemetryRequested, .telemetrySendingEnabled] { _ = try container.decode(Bool.self, forKey: key) }
        self.init(
            settings: try TelemetrySettings(from: decoder),
            pendingWork: try container.decodeIfPresent(TelemetryPendingWork.self, forKey: .pendingWork)
                ?? TelemetryPendingWork(),
            lastUpdated: try container.decodeTimestamp(forKey: .lastUpdated))
    }

    func encode(to encoder: any Encoder) throws {
        try settings.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !pendingWork.isEmpty { try container.encode(pendingWork, forKey: .pendingWork) }
        try container.encodeTimestamp(lastUpdated, forKey: .lastUpdated)
    }
}
