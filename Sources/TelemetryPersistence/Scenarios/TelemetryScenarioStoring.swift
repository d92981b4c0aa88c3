public import TelemetryModels

/// Keeps across restarts what was decided on scenarios: their states, what the person forbids, and who paused telemetry.
///
/// Nothing here throws: a store that cannot be read knows no states, and one that cannot be written goes on from memory; a
/// diagnostics handler receives both.
///
/// The requirements on whole states, on denied scenarios and on the pause have defaults for stores that keep a Bool alone: level,
/// end and source of a state, and with them denied scenarios and the pause, end with the process there.
public protocol TelemetryScenarioStoring: Sendable {
    /// Whether the scenario is on; nil where nothing was ever saved.
    func loadState(for scenarioName: String) async -> Bool?

    /// Whether each scenario of which something was saved is on.
    func loadAllStates() async -> [String: Bool]

    /// Saves whether a scenario is on, and nothing else of its state.
    func saveState(for scenarioName: String, isEnabled: Bool) async

    /// Removes one scenario's state.
    func removeState(for scenarioName: String) async

    /// Removes every scenario's state, and nothing else: denied scenarios and the pause stay.
    func removeAllStates() async

    /// Every saved state by scenario. What was saved as a Bool has the defaults of ``TelemetryModels/TelemetryScenarioState``.
    func loadAllScenarios() async -> [String: TelemetryScenarioState]

    /// Saves a scenario's state.
    func saveScenario(_ state: TelemetryScenarioState, for scenarioName: String) async

    /// The scenarios that the person forbids.
    func loadDeniedScenarios() async -> Set<String>

    /// Saves whether the person forbids a scenario.
    func saveDenied(_ isDenied: Bool, for scenarioName: String) async

    /// Who paused telemetry.
    func loadPause() async -> TelemetryPause

    /// Saves who paused telemetry.
    func savePause(_ pause: TelemetryPause) async
}

/// What a store does that keeps a Bool alone.
extension TelemetryScenarioStoring {
    public func loadAllScenarios() async -> [String: TelemetryScenarioState] {
        await loadAllStates().mapValues { TelemetryScenarioState(isEnabled: $0) }
    }

    public func saveScenario(_ state: TelemetryScenarioState, for scenarioName: String) async {
        await saveState(for: scenarioName, isEnabled: state.isEnabled)
    }

    public func loadDeniedScenarios() async -> Set<String> { [] }

    public func saveDenied(_ isDenied: Bool, for scenarioName: String) async {}

    public func loadPause() async -> TelemetryPause { [] }

    public func savePause(_ pause: TelemetryPause) async {}
}
