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
        /// Record and send nothing until ``resume``; what is stored stays.
        case pause
        /// End a viewer's pause.
        case resume
        /// Drop the explicit decision on a scenario: rules decide, otherwise it is off.
        case resetScenario
        /// Send what the flight recorder holds of a scenario.
        case captureScenario
    }

    /// What has become of a command.
    public enum CommandStatus: String, Sendable, CaseIterable, Codable {
        /// Not executed yet.
        case pending
        /// Done.
        case executed
        /// Not done; `errorMessage` says why.
        case failed
        /// Not done, because the person who is observed or the host does not allow it; `errorMessage` says why.
        case rejected
        /// Not done, because the time until which it was to be done had passed.
        case expired
        /// Not done, because a later command concerns the same thing.
        case superseded
    }
}
