/// Scenario states that end with the store, for tests and previews.
public actor InMemoryTelemetryScenarioStore: TelemetryScenarioStoring {
    private var states: [String: Bool] = [:]

    /// Creates an empty store.
    public init() {}

    public func loadState(for scenarioName: String) async -> Bool? { states[scenarioName] }

    public func loadAllStates() async -> [String: Bool] { states }

    public func saveState(for scenarioName: String, isEnabled: Bool) async { states[scenarioName] = isEnabled }

    public func removeState(for scenarioName: String) async { states[scenarioName] = nil }

    public func removeAllStates() async { states = [:] }
}
