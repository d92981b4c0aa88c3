import TelemetryModels

extension WorkLog {
    /// The same with a scenario that cannot be misspelt.
    func log(
        _ name: String, _ scenario: FileScenario, _ level: TelemetryLogLevel, _ subject: @autoclosure () -> String,
        _ attributes: @autoclosure () -> [String: TelemetryValue] = [:]
    ) {
        log(name, scenario: scenario.rawValue, level: level, subject: subject(), attributes: attributes())
    }
}
