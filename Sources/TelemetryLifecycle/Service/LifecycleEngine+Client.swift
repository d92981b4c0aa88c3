import Foundation
import TelemetryModels
import TelemetryTransport

/// The client's own fields in its record.
extension LifecycleEngine {
    /// Updates, in one change, whether telemetry is paused and, if due, when the client was last seen and its versions. Writes
    /// nothing if there is no difference. A failure is retried soon, unless the store never accepts the fields.
    func mirrorClient() async {
        guard let clientId = mirroredClient, let client = state.clientRecord, client.clientId == clientId,
            let id = client.recordID
        else { return }
        let (isPaused, date) = (state.isPaused, configuration.date())
        let isDue = presence.isDue(for: clientId, stored: client.lastSeen, at: date)
        guard isDue || client.isPaused != isPaused else { return }
        do {
            let record = try await transport.modify(id) { stored in
                var client = try TelemetryClientRecord(record: stored)
                client.isPaused = isPaused
                if isDue { ClientPresence(at: date).write(to: &client) }
                return try client.applying(to: stored)
            }
            state.clientRecord = try TelemetryClientRecord(record: record)
        } catch {
            report(.transportFailed, "The client's record could not be updated: \(error.localizedDescription)")
            if error.refusal == nil { return isInDoubt = true }
        }
        if isDue { presence.noteWrite(for: clientId, at: date) }
    }
}
