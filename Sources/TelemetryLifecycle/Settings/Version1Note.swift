import Foundation
import TelemetryModels
import TelemetryPersistence

/// Pending work that version 1 kept as the name of a scenario, where the settings store kept only the three fields that it knows.
struct Version1Note {
    /// How the names begin that are not scenarios; hosts cannot use names of this kind.
    static let prefix = "telemetry.obligations:"

    let store: any TelemetryScenarioStoring

    /// Moves what was noted: into the pending work first, so that a process killed in between moves it again and loses nothing.
    /// - Parameters:
    ///   - clientId: The settings' client.
    ///   - move: Stores the work; returns whether it will outlive the process. Otherwise the note stays.
    @MainActor
    func takeOver(clientId: String?, move: @MainActor (TelemetryPendingWork) async -> Bool) async {
        for name in await store.loadAllStates().keys where name.hasPrefix(Self.prefix) {
            let json = Data(name.dropFirst(Self.prefix.count).utf8)
            // What cannot be read is of no use to anybody.
            if let noted = try? JSONDecoder().decode(Version1PendingWork.self, from: json) {
                guard await move(noted.work(ofClient: clientId)) else { continue }
            }
            await store.removeState(for: name)
        }
    }
}
