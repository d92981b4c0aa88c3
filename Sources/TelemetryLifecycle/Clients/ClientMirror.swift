import Foundation
import TelemetryModels
import TelemetryTransport

/// The client's own fields in its record.
@MainActor
final class ClientMirror {
    private let consent: ConsentController
    private let context: LifecycleContext
    /// When the client's presence is written to its record.
    private var presence: PresenceSchedule

    init(consent: ConsentController, context: LifecycleContext) {
        self.consent = consent
        self.context = context
        presence = PresenceSchedule(interval: context.configuration.reconcileInterval)
    }

    /// Returns the client's record, created if its registration is pending; nil if it was deleted.
    func findClient(_ clientId: String) async throws -> TelemetryClientRecord? {
        let registration = ClientRegistration(transport: context.transport)
        guard consent.state.stored.needsRegistration(of: clientId) else { return try await registration.find(clientId) }
        let date = context.date
        let (client, isNew) = try await registration.findOrCreate(clientId, ClientPresence(at: date))
        if isNew { presence.noteWrite(for: clientId, at: date) }
        await consent.handle(.registered(client: clientId))
        return client
    }

    /// Updates, in one change, whether telemetry is paused and, if due, when the client was last seen and its versions. Writes
    /// nothing if there is no difference. A failure is retried soon, unless the store never accepts the fields.
    func update() async {
        guard let clientId = consent.mirroredClient, let client = context.state.clientRecord, client.clientId == clientId,
            let id = client.recordID
        else { return }
        let (isPaused, date) = (context.state.isPaused, context.date)
        let isDue = presence.isDue(for: clientId, stored: client.lastSeen, at: date)
        guard isDue || client.isPaused != isPaused else { return }
        do {
            let record = try await context.transport.modify(id) { stored in
                var client = try TelemetryClientRecord(record: stored)
                client.isPaused = isPaused
                if isDue { ClientPresence(at: date).write(to: &client) }
                return try client.applying(to: stored)
            }
            context.state.clientRecord = try TelemetryClientRecord(record: record)
        } catch {
            context.report(.transportFailed, "The client's record could not be updated: \(error.localizedDescription)")
            if error.refusal == nil { return context.state.needsRetry = true }
        }
        if isDue { presence.noteWrite(for: clientId, at: date) }
    }
}
