import TelemetryModels
import TelemetryTransport

/// Scenarios and the end of a session: here first, then at the store.
extension LifecycleEngine {
    func register(_ names: [String]) async throws {
        for name in names { try ScenarioName.check(name) }
        await scenarios.register(names)
        guard let clientId = mirroredClient, let states = scenarios.mirrored else { return }
        try await mirror.align(states, of: clientId)
    }

    func setScenario(_ name: String, isEnabled: Bool) async throws {
        try ScenarioName.check(name)
        await scenarios.set(name, isEnabled: isEnabled)
        try await mirrorScenario(name, isEnabled: isEnabled)
    }

    /// Brings the record in line, where there should be one.
    func mirrorScenario(_ name: String, isEnabled: Bool) async throws {
        guard let clientId = mirroredClient, scenarios.registered?.contains(name) == true else { return }
        try await mirror.align(name, isEnabled: isEnabled, of: clientId)
    }

    func endSession() async throws {
        await scenarios.clear()
        guard let clientId = settings.clientIdentifier else { return }
        let session = await logger.beginSession()
        let cleanup = TelemetryObligations.Cleanup(
            clientId: clientId, sessionEnd: configuration.date(), sessions: session.map { [$0] } ?? [])
        // Whatever happens to the process, it is remembered until it is done.
        await keeper.change { $0.obligations.add(cleanup) }
        let begun = settings.obligations.sessionCleanup(of: clientId)
        let failures = await settle(begun: begun)
        if !failures.isEmpty, begun == settings.obligations.sessionCleanup(of: clientId) {
            throw TelemetryTransportError(
                code: .unavailable, message: "Still to be deleted: \(failures.joined(separator: "; ")).")
        }
    }

    /// Deletes this client's events, also those that wait in the logger.
    func deleteEvents(of clientId: String) async throws {
        await logger.discardWaiting()
        try await transport.deleteEvents(of: clientId)
        guard transport.settlingTime > .zero else { return }
        let date = configuration.date()
        await keeper.change {
            $0.obligations.add(.init(clientId: clientId, sessionEnd: date, isOfEventsOnly: true, doneAt: date))
        }
    }
}

extension TelemetryObligations {
    /// What is still to be deleted of the client's sessions.
    fileprivate func sessionCleanup(of clientId: String) -> Cleanup? {
        cleanups.first { $0.clientId == clientId && $0.sessionEnd != nil }
    }
}
