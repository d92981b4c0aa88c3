import TelemetryLogging
import TelemetryModels

/// The scenarios of this program, which a viewer can enable and disable.
enum ExampleScenario: String, CaseIterable {
    case networkRequests = "NetworkRequests"
    case dataSync = "DataSync"
    case userInteraction = "UserInteraction"
}

extension TelemetryLogging {
    /// Logs with a type-safe scenario. While it is disabled, the arguments after the level are not evaluated.
    nonisolated func log(
        _ name: String, _ scenario: ExampleScenario, _ level: TelemetryLogLevel = .info,
        _ text: @autoclosure () -> String? = nil, _ attributes: @autoclosure () -> [String: TelemetryValue] = [:]
    ) {
        logEvent(name: name, scenario: scenario.rawValue, level: level, property1: text(), attributes: attributes())
    }
}
