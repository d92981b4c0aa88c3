public import Foundation
public import TelemetryModels

/// Scenario states in user defaults: whether a scenario is on under `telemetry.scenario.<scenarioName>.isEnabled`, the rest of
/// its state under `….state`, whether the user forbids it under `….isDenied`, and who paused under `telemetry.pause`.
///
/// If a scenario has no key `….isEnabled`, its state is read from the key `….diagnosticLevel` of the reference implementation's later
/// versions: a negative level is off, 0 is on at `.diagnostic`, and higher levels are on at `.info`. Saving or removing the state
/// removes that key.
///
/// On systems without a user defaults daemon, such as Linux, a process that is killed while it writes can lose them; use
/// ``FileTelemetryScenarioStore`` there.
public actor UserDefaultsTelemetryScenarioStore: TelemetryScenarioStoring {
    private let shared: SharedUserDefaults

    /// - Parameters:
    ///   - userDefaults: The user defaults of the states. They may not be `Sendable`: do not use the object elsewhere
    ///     afterwards. To share the suite, pass its name instead.
    ///   - diagnostics: Receives failures.
    public init(userDefaults: UserDefaults = .standard, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        shared = SharedUserDefaults(defaults: userDefaults, diagnostics: diagnostics)
    }

    /// - Parameters:
    ///   - suiteName: The suite of user defaults; nil for the standard ones.
    ///   - diagnostics: Receives failures.
    public init(suiteName: String?, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        shared = SharedUserDefaults(defaults: SharedUserDefaults.suite(suiteName), diagnostics: diagnostics)
    }

    public func loadState(for scenarioName: String) async -> Bool? { stored.isEnabled(scenarioName) }

    public func loadAllStates() async -> [String: Bool] { stored.states }

    public func saveState(for scenarioName: String, isEnabled: Bool) async {
        await saveScenario(TelemetryScenarioState(isEnabled: isEnabled), for: scenarioName)
    }

    public func removeState(for scenarioName: String) async {
        guard stored.isEnabled(scenarioName) != nil else { return }
        shared.change(await SharedUserDefaults.lock()) { ScenarioDefaults(defaults: $0).remove(scenarioName) }
    }

    public func removeAllStates() async {
        guard !stored.states.isEmpty else { return }
        shared.change(await SharedUserDefaults.lock()) { defaults in
            let stored = ScenarioDefaults(defaults: defaults)
            for name in stored.states.keys { stored.remove(name) }
        }
    }

    public func loadAllScenarios() async -> [String: TelemetryScenarioState] { stored.scenarios }

    public func saveScenario(_ state: TelemetryScenarioState, for scenarioName: String) async {
        shared.change(await SharedUserDefaults.lock()) { ScenarioDefaults(defaults: $0).save(state, for: scenarioName) }
    }

    public func loadDeniedScenarios() async -> Set<String> { stored.deniedScenarios }

    public func saveDenied(_ isDenied: Bool, for scenarioName: String) async {
        guard isDenied || stored.deniedScenarios.contains(scenarioName) else { return }
        shared.change(await SharedUserDefaults.lock()) { ScenarioDefaults(defaults: $0).saveDenied(isDenied, for: scenarioName) }
    }

    public func loadPause() async -> TelemetryPause { stored.pause }

    public func savePause(_ pause: TelemetryPause) async {
        guard stored.pause != pause else { return }
        shared.change(await SharedUserDefaults.lock()) { ScenarioDefaults(defaults: $0).pause = pause }
    }

    /// The stored values, including changes of other processes.
    private var stored: ScenarioDefaults {
        shared.refresh()
        return ScenarioDefaults(defaults: shared.defaults)
    }
}
