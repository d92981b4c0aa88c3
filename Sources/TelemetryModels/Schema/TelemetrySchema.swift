/// The names, types and indexes of everything that is stored: the contract between clients, viewers and stores.
public struct TelemetrySchema: Sendable {
    /// The type of event records.
    public static let recordType = "TelemetryEvent"
    /// The type of clients' records.
    public static let clientRecordType = "TelemetryClient"
    /// The type of commands' records.
    public static let commandRecordType = "TelemetryCommand"
    /// The type of scenarios' records.
    public static let scenarioRecordType = "TelemetryScenario"
    /// The type of settings backups.
    public static let settingsBackupRecordType = "TelemetrySettingsBackup"
    /// The type of rules' records.
    public static let ruleRecordType = "TelemetryRule"
}
