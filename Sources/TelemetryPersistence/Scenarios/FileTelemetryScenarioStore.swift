public import Foundation
public import TelemetryModels

/// Scenario states in a file `scenarios.json`, and denied scenarios and the pause in `controls.json`, for servers and
/// command-line tools; processes may share the directory.
///
/// The directory is created by the first save, accessible to its owner only. An invalid file is moved to `scenarios.corrupt.json`
/// or `controls.corrupt.json`. Changes that cannot be written are kept in memory as long as the store exists, and written with
/// the next change.
public actor FileTelemetryScenarioStore: TelemetryScenarioStoring {
    private var document: StoredDocument<[String: StoredScenarioState]>
    private var controls: StoredDocument<ScenarioControls>

    /// - Parameters:
    ///   - directory: The files' directory.
    ///   - diagnostics: Receives corrupt files and failures to read or write.
    public init(directory: URL, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        document = StoredDocument(
            JSONDocumentFile(directory: directory, name: "scenarios", diagnostics: diagnostics), initial: [:])
        controls = StoredDocument(
            JSONDocumentFile(directory: directory, name: "controls", diagnostics: diagnostics), initial: ScenarioControls())
    }

    public func loadState(for scenarioName: String) async -> Bool? { await load()[scenarioName]?.state.isEnabled }

    public func loadAllStates() async -> [String: Bool] { await load().mapValues(\.state.isEnabled) }

    public func saveState(for scenarioName: String, isEnabled: Bool) async {
        await save(StoredScenarioState(isEnabled: isEnabled), for: scenarioName)
    }

    public func removeState(for scenarioName: String) async {
        // Creates no file if there is nothing to remove.
        guard await load()[scenarioName] != nil else { return }
        await save(nil, for: scenarioName)
    }

    public func removeAllStates() async { document.remove(document.isMissing ? nil : await document.lock()) }

    public func loadAllScenarios() async -> [String: TelemetryScenarioState] { await load().mapValues(\.state) }

    public func saveScenario(_ state: TelemetryScenarioState, for scenarioName: String) async {
        await save(StoredScenarioState(state), for: scenarioName)
    }

    public func loadDeniedScenarios() async -> Set<String> { Set(await loadControls().denied.filter(\.value).keys) }

    public func saveDenied(_ isDenied: Bool, for scenarioName: String) async {
        let isKnown = await loadControls().denied[scenarioName] != nil
        guard isDenied || isKnown else { return }
        _ = controls.change(await controls.lock()) { $0.denied[scenarioName] = isDenied ? true : nil }
    }

    public func loadPause() async -> TelemetryPause { await loadControls().pause }

    public func savePause(_ pause: TelemetryPause) async {
        guard await loadControls().pause != pause else { return }
        _ = controls.change(await controls.lock()) { $0.pause = pause }
    }

    private func load() async -> [String: StoredScenarioState] {
        if let states = document.loadUnlocked() { return states }
        return document.load(await document.lock())
    }

    private func loadControls() async -> ScenarioControls {
        if let controls = controls.loadUnlocked() { return controls }
        return controls.load(await controls.lock())
    }

    private func save(_ state: StoredScenarioState?, for scenarioName: String) async {
        _ = document.change(await document.lock()) { $0[scenarioName] = state }
    }
}
