package import TelemetryModels

/// The display of what a viewer did: the key of a text in the string table.
package struct TelemetryViewerActionDisplay: Equatable, Sendable {
    package let textKey: String

    package init(_ action: TelemetrySchema.CommandAction) {
        textKey =
            switch action {
            case .enable: "actions.approved"
            case .disable: "actions.disabled"
            case .deleteEvents: "actions.deleted"
            case .enableScenario: "actions.scenarioOn"
            case .disableScenario: "actions.scenarioOff"
            case .resetScenario: "actions.scenarioReset"
            case .captureScenario: "actions.captured"
            case .pause: "actions.paused"
            case .resume: "actions.resumed"
            }
    }
}
