public import Foundation
public import TelemetryModels

/// Scenario states in a file `scenarios.json`, for servers and command-line tools; processes may share the directory.
///
/// The directory is made, for its owner alone, when something is saved for the first time. A file that cannot be read as
/// states is set aside as `scenarios.corrupt.json`. What cannot be written is served from memory, as long as the store lives,
/// and written with the next change.
public actor FileTelemetryScenarioStore: TelemetryScenarioStoring {
    private var document: StoredDocument<[String: Bool]>

    /// - Parameters:
    ///   - directory: Where the file is, or will be.
    ///   - diagnostics: Receives corrupt files and failures to read or write.
    public init(directory: URL, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        document = StoredDocument(
            JSONDocumentFile(directory: directory, name: "scenarios", diagnostics: diagnostics), initial: [:])
    }

    public func loadState(for scenarioName: String) async -> Bool? { await load()[scenarioName] }

    public func loadAllStates() async -> [String: Bool] { await load() }

    public func saveState(for scenarioName: String, isEnabled: Bool) async {
        _ = document.change(await document.lock()) { $0[scenarioName] = isEnabled }
    }

    public func removeState(for scenarioName: String) async {
        // Nothing to remove, nothing to create.
        guard await load()[scenarioName] != nil else { return }
        _ = document.change(await document.lock()) { $0[scenarioName] = nil }
    }

    public func removeAllStates() async { document.remove(document.isMissing ? nil : await document.lock()) }

    private func load() async -> [String: Bool] {
        if let states = document.loadUnlocked() { return states }
        return document.load(await document.lock())
    }
}
