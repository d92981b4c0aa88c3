import Foundation
import TelemetryModels
import TelemetryPersistence

/// Pending work that version 1 stored as the name of a scenario, if the settings store kept only the three fields it knew.
struct Version1Note {
    /// The prefix of names that are not scenarios. Hosts cannot use it.
    static let prefix = "telemetry.obligations:"

    let store: any TelemetryScenarioStoring

    /// Moves the note's contents to the pending work and then removes the note, so that nothing is lost if the process is killed
    /// in between.
    /// - Parameters:
    ///   - clientId: The settings' client.
    ///   - move: Stores the work and returns whether it outlives the process. If not, the note is kept.
    @MainActor
    func takeOver(clientId: String?, move: @MainActor (TelemetryPendingWork) async -> Bool) async {
        for name in await store.loadAllStates().keys where name.hasPrefix(Self.prefix) {
            let json = Data(name.dropFirst(Self.prefix.count).utf8)
            // A note that cannot be read is discarded.
            if let noted = try? JSONDecoder().decode(Version1PendingWork.self, from: json) {
                guard await move(noted.work(ofClient: clientId)) else { continue }
            }
            await store.removeState(for: name)
        }
    }
}
