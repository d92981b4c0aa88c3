package import TelemetryModels

/// A logger with a flight recorder, which keeps the last events of scenarios that are off.
package protocol TelemetryRecording: TelemetryLogging {
    /// Sets the recorded scenarios, and removes the events that were kept of other scenarios.
    ///
    /// Events are kept only while the logger is on, not paused and has a client, and only while their scenario is off.
    /// - Parameter level: More detailed events are neither kept nor captured.
    func setRecordedScenarios(_ scenarios: Set<String>, level: TelemetryLogLevel) async

    /// Logs the events that were kept of a scenario, in order and with their own times, and marks them, so that
    /// they are not captured again.
    /// - Parameter lookback: The greatest age of the events, in seconds; nil for all.
    /// - Returns: the number of events; nil if the scenario is not recorded now.
    func captureRecorded(_ scenario: String, lookback: Double?) async -> Int?
}
