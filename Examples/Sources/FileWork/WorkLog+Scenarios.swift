import TelemetryModels

extension WorkLog {
    /// Logs one event with a type-safe scenario.
    func log(
        _ name: String, _ scenario: FileScenario, _ level: TelemetryLogLevel, _ subject: @autoclosure () -> String,
        _ attributes: @autoclosure () -> [String: TelemetryValue] = [:]
    ) {
        log(name, scenario: scenario.rawValue, level: level, subject: subject(), attributes: attributes())
    }
}
