import TelemetryLogging
import TelemetryModels

/// What a viewer can turn on and off in this program: a name for each kind of thing that one may want to know more about.
enum ExampleScenario: String, CaseIterable {
    case networkRequests = "NetworkRequests"
    case dataSync = "DataSync"
    case userInteraction = "UserInteraction"
}

extension TelemetryLogging {
    /// Logs under a scenario that cannot be misspelt. While it is off, none of the arguments behind the level is evaluated.
    nonisolated func log(
        _ name: String, _ scenario: ExampleScenario, _ level: TelemetryLogLevel = .info,
        _ text: @autoclosure () -> String? = nil, _ attributes: @autoclosure () -> [String: TelemetryValue] = [:]
    ) {
        logEvent(name: name, scenario: scenario.rawValue, level: level, property1: text(), attributes: attributes())
    }
}
