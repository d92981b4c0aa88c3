public import TelemetryModels

/// The name of the person who sends commands and adds rules.
///
/// The name is stored with the command or rule, and the app can show it to the app's user. A relay with tokens replaces it
/// with the token's name, which it has verified.
public enum CommandIssuer {
    /// The environment variable with the name.
    public static let variable = "LIVE_TELEMETRY_ISSUER"
    private static let maximumLength = 100

    /// The given name, otherwise the one in the environment, otherwise the name of the machine's user. An empty name is none.
    public static func name(given: String?, environment: [String: String]) -> String? {
        let name = given ?? environment[variable] ?? environment["USER"] ?? environment["LOGNAME"] ?? ""
        return name.isEmpty ? nil : String(name.prefix(maximumLength))
    }
}

extension TelemetryCommandRecord {
    /// The command with this issuer.
    public func issued(by issuer: String?) -> TelemetryCommandRecord {
        TelemetryCommandRecord(
            recordID: recordID, commandId: commandId, clientId: clientId, action: action, scenarioName: scenarioName,
            created: created, status: status, executedAt: executedAt, errorMessage: errorMessage, level: level, lease: lease,
            expires: expires, lookback: lookback, issuer: issuer, result: result,
            contextConditions: contextConditions)
    }
}
