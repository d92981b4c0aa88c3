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

    /// The actions that a viewer can command.
    public enum CommandAction: String, Sendable, CaseIterable, Codable {
        /// Approve the client: it starts recording.
        case enable
        /// Stop recording and delete the client's stored data.
        case disable
        /// Delete the client's events.
        case deleteEvents = "delete_events"
        /// Turn a scenario on.
        case enableScenario
        /// Turn a scenario off.
        case disableScenario
        /// Stop recording and sending until ``resume``; stored data is kept.
        case pause
        /// End a viewer's pause.
        case resume
        /// Drop the explicit decision on a scenario: rules decide; without a rule it is off.
        case resetScenario
        /// Send the flight recorder's events of a scenario.
        case captureScenario
    }

    /// A command's status.
    public enum CommandStatus: String, Sendable, CaseIterable, Codable {
        /// Not executed yet.
        case pending
        /// Executed.
        case executed
        /// Failed; `errorMessage` has the reason.
        case failed
        /// Not executed, because the user or the host does not allow it; `errorMessage` has the reason.
        case rejected
        /// Not executed, because it expired before.
        case expired
        /// Not executed, because a later command replaced it.
        case superseded
    }
}
