extension TelemetrySchema {
    /// What a viewer can ask of a client.
    public enum CommandAction: String, Sendable, CaseIterable, Codable {
        case enable
        case disable
        case deleteEvents = "delete_events"
        case enableScenario
        case disableScenario
    }

    /// What has become of a command.
    public enum CommandStatus: String, Sendable, CaseIterable, Codable {
        case pending
        case executed
        case failed
    }
}
