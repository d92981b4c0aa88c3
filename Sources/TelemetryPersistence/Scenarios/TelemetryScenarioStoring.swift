public import TelemetryModels

/// Keeps scenario states, denied scenarios and the pause across restarts.
///
/// The methods do not throw: a store that cannot be read returns no states, and one that cannot be written uses the values in
/// memory; a diagnostics handler receives both.
///
/// The requirements for whole states, denied scenarios and the pause have default implementations for stores that keep only a
/// Bool: these lose a state's level, expiry and source, the denied scenarios and the pause when the process ends, and keep a scenario
/// with context conditions as off.
public protocol TelemetryScenarioStoring: Sendable {
    /// Whether the scenario is on; nil if nothing was saved.
    func loadState(for scenarioName: String) async -> Bool?

    /// Whether each saved scenario is on.
    func loadAllStates() async -> [String: Bool]

    /// Saves only whether a scenario is on.
    func saveState(for scenarioName: String, isEnabled: Bool) async

    /// Removes one scenario's state.
    func removeState(for scenarioName: String) async

    /// Removes every scenario's state. Denied scenarios and the pause are kept.
    func removeAllStates() async

    /// Every saved state, by scenario. A state saved as a Bool has the defaults of ``TelemetryModels/TelemetryScenarioState``.
    func loadAllScenarios() async -> [String: TelemetryScenarioState]

    /// Saves a scenario's state.
    func saveScenario(_ state: TelemetryScenarioState, for scenarioName: String) async

    /// The scenarios that the user forbids.
    func loadDeniedScenarios() async -> Set<String>

    /// Saves whether the user forbids a scenario.
    func saveDenied(_ isDenied: Bool, for scenarioName: String) async

    /// Who paused telemetry.
    func loadPause() async -> TelemetryPause

    /// Saves who paused telemetry.
    func savePause(_ pause: TelemetryPause) async
}

/// Default implementations for a store that keeps only a Bool.
extension TelemetryScenarioStoring {
    public func loadAllScenarios() async -> [String: TelemetryScenarioState] {
        await loadAllStates().mapValues { TelemetryScenarioState(isEnabled: $0) }
    }

    public func saveScenario(_ state: TelemetryScenarioState, for scenarioName: String) async {
        await saveState(for: scenarioName, isEnabled: state.isEnabled && state.contextConditions.isEmpty)
    }

    public func loadDeniedScenarios() async -> Set<String> { [] }

    public func saveDenied(_ isDenied: Bool, for scenarioName: String) async {}

    public func loadPause() async -> TelemetryPause { [] }

    public func savePause(_ pause: TelemetryPause) async {}
}
