package import TelemetryModels

/// The display of a scenario that is on: the keys of strings in the string table.
package struct TelemetryScenarioDisplay: Equatable, Sendable {
    /// What is recorded.
    package let levelKey: String
    /// Who turned the scenario on; nil if that is not known.
    package let sourceKey: String?

    package init(_ state: TelemetryScenarioState) {
        levelKey =
            switch state.level {
            case .info: "level.info"
            case .diagnostic: "level.diagnostic"
            }
        sourceKey =
            switch state.source {
            case .registration: nil
            case .host: "source.host"
            case .viewer: "source.viewer"
            case .rule: "source.rule"
            }
    }
}
