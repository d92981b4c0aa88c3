/// Keeps across restarts which scenarios are on.
///
/// Nothing here throws: a store that cannot be read knows no states, and one that cannot be written goes on from memory; a
/// diagnostics handler receives both.
public protocol TelemetryScenarioStoring: Sendable {
    /// The scenario's state; nil where none was ever saved.
    func loadState(for scenarioName: String) async -> Bool?

    /// Every saved state by scenario.
    func loadAllStates() async -> [String: Bool]

    /// Saves the state of one scenario.
    func saveState(for scenarioName: String, isEnabled: Bool) async

    /// Removes one scenario's state.
    func removeState(for scenarioName: String) async

    /// Removes every scenario's state, and nothing else.
    func removeAllStates() async
}
