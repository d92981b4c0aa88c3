extension TelemetrySchema {
    /// What a viewer can ask of a client.
    public enum CommandAction: String, Sendable, CaseIterable, Codable {
        /// Start recording: the viewer approves the client.
        case enable
        /// Stop recording, and delete what is stored of the client.
        case disable
        /// Delete the client's events.
        case deleteEvents = "delete_events"
        /// Turn a scenario on.
        case enableScenario
        /// Turn a scenario off.
        case disableScenario
    }

    /// What has become of a command.
    public enum CommandStatus: String, Sendable, CaseIterable, Codable {
        /// Not executed yet.
        case pending
        /// Done.
        case executed
        /// Not done; `errorMessage` says why.
        case failed
    }
}
