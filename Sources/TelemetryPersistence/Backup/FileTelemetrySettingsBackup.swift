public import Foundation
public import TelemetryModels

/// A backup in a file `settings-backup.json`, in a directory that outlives the app: a synchronised folder, a volume.
public struct FileTelemetrySettingsBackup: TelemetrySettingsBackingUp {
    private let file: JSONDocumentFile<BackedUpSettings>

    /// - Parameter directory: Where the file is, or will be; made, for its owner alone, at the first save.
    public init(directory: URL) {
        file = JSONDocumentFile(directory: directory, name: "settings-backup", diagnostics: nil)
    }

    /// Replaces the backup, also a corrupt one.
    /// - Throws: where the file cannot be written; then the backup is what it was.
    public func saveSettings(_ settings: TelemetrySettings) async throws {
        let lock = try await file.lock().get()
        try withExtendedLifetime(lock) { try file.write(BackedUpSettings(settings: settings, lastUpdated: .now)) }
    }

    /// The backup, or nil where there is none.
    /// - Throws: ``TelemetrySettingsBackupError/corrupted(_:)``; another error where the file cannot be read.
    public func loadSettings() async throws -> TelemetrySettings? {
        switch try file.contents() {
        case .missing: return nil
        case .found(let backup): return backup.settings
        case .corrupt(let reason): throw TelemetrySettingsBackupError.corrupted("\(file.path): \(reason)")
        }
    }

    public func clearSettings() async throws {
        if case .missing = try file.contents() { return }
        let lock = try await file.lock().get()
        try withExtendedLifetime(lock) { try file.remove() }
    }
}

/// The stored form: the settings' fields and, beside them, when they were saved.
private struct BackedUpSettings: Codable, Sendable {
    let settings: TelemetrySettings
    let lastUpdated: Date

    private enum CodingKeys: String, CodingKey { case telemetryRequested, telemetrySendingEnabled, lastUpdated }

    init(settings: TelemetrySettings, lastUpdated: Date) {
        self.settings = settings
        self.lastUpdated = lastUpdated
    }

    /// The settings alone read an object without fields as defaults. A backup says what was asked for, or is none.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        for key in [CodingKeys.telemetryRequested, .telemetrySendingEnabled] { _ = try container.decode(Bool.self, forKey: key) }
        self.init(
            settings: try TelemetrySettings(from: decoder), lastUpdated: try container.decodeTimestamp(forKey: .lastUpdated))
    }

    func encode(to encoder: any Encoder) throws {
        try settings.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeTimestamp(lastUpdated, forKey: .lastUpdated)
    }
}
