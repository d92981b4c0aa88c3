import Foundation
import TelemetryModels
import TelemetryPersistence

/// Keeps what is owed where the settings store keeps only the three fields that it knows.
///
/// The scenario store keeps any name, so the obligations become the name of a state; hosts cannot use names of that kind.
struct ObligationsNote {
    /// How the names begin that are not scenarios.
    static let prefix = "telemetry.obligations:"

    let store: any TelemetryScenarioStoring

    /// What was noted; nothing where there is no note.
    func read() async -> TelemetryObligations {
        for name in await store.loadAllStates().keys where name.hasPrefix(Self.prefix) {
            let json = Data(name.dropFirst(Self.prefix.count).utf8)
            if let obligations = try? JSONDecoder().decode(TelemetryObligations.self, from: json) { return obligations }
        }
        return TelemetryObligations()
    }

    /// Replaces the note; owing nothing leaves none.
    func write(_ obligations: TelemetryObligations) async {
        var name: String?
        if !obligations.isEmpty, let json = try? JSONEncoder().encode(obligations) {
            name = Self.prefix + String(decoding: json, as: UTF8.self)
        }
        if let name { await store.saveState(for: name, isEnabled: true) }
        // The new one first: a process that dies in between owes too much rather than too little.
        for old in await store.loadAllStates().keys where old.hasPrefix(Self.prefix) && old != name {
            await store.removeState(for: old)
        }
    }
}
