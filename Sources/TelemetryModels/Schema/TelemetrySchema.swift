/// The names, types and indexes of everything that is stored: the contract between clients, viewers and stores.
public struct TelemetrySchema: Sendable {
    /// The type of event records.
    public static let recordType = "TelemetryEvent"
    public static let clientRecordType = "TelemetryClient"
    public static let commandRecordType = "TelemetryCommand"
    public static let scenarioRecordType = "TelemetryScenario"
    public static let settingsBackupRecordType = "TelemetrySettingsBackup"
}
