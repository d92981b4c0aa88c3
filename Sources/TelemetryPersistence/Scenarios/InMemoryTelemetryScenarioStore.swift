public import TelemetryModels

/// Scenario states in memory, for tests and previews.
public actor InMemoryTelemetryScenarioStore: TelemetryScenarioStoring {
    private var states: [String: TelemetryScenarioState] = [:]
    private var denied: Set<String> = []
    private var pause: TelemetryPause = []

    /// Creates an empty store.
    public init() {}

    public func loadState(for scenarioName: String) async -> Bool? { states[scenarioName]?.isEnabled }

    public func loadAllStates() async -> [String: Bool] { states.mapValues(\.isEnabled) }

    public func saveState(for scenarioName: String, isEnabled: Bool) async {
        states[scenarioName] = TelemetryScenarioState(isEnabled: isEnabled)
    }

    public func removeState(for scenarioName: String) async { states[scenarioName] = nil }

    public func removeAllStates() async { states = [:] }

    public func loadAllScenarios() async -> [String: TelemetryScenarioState] { states }

    public func saveScenario(_ state: TelemetryScenarioState, for scenarioName: String) async { states[scenarioName] = state }

    public func loadDeniedScenarios() async -> Set<String> { denied }

    public func saveDenied(_ isDenied: Bool, for scenarioName: String) async {
        if isDenied { denied.insert(scenarioName) } else { denied.remove(scenarioName) }
    }

    public func loadPause() async -> TelemetryPause { pause }

    public func savePause(_ pause: TelemetryPause) async { self.pause = pause }
}
