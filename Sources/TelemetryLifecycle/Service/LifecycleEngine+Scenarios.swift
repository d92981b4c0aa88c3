import Foundation
import TelemetryModels
import TelemetryTransport

/// Scenarios and the end of a session: here first, then at the store.
extension LifecycleEngine {
    /// - Throws: for a name that can never be stored. A store that is out of reach gets the records later.
    func register(_ names: [String]) async throws {
        for name in names { try ScenarioName.check(name) }
        await scenarios.register(names)
        if let error = await alignScenarios(), let refusal = error.refusal { throw refusal }
    }

    /// Brings the records of the registered scenarios in line. What fails for now is tried again soon.
    /// - Returns: why the store did not take them.
    @discardableResult
    func alignScenarios() async -> (any Error)? {
        guard let clientId = mirroredClient, let states = scenarios.mirrored else { return nil }
        do {
            try await mirror.align(states, of: clientId)
            return nil
        } catch {
            report(.transportFailed, "The scenarios' records are not in line: \(error.localizedDescription)")
            if error.refusal == nil { isInDoubt = true }
            return error
        }
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

    func endSession(keepingEvents: Bool) async throws {
        await scenarios.clear()
        guard let clientId = settings.clientIdentifier else { return }
        // What waits is still to be delivered where the events stay.
        let session = keepingEvents ? nil : await logger.beginSession()
        let deletion = TelemetryPendingWork.Deletion(
            clientId: clientId, sessionEnd: configuration.date(), scenariosOnly: keepingEvents,
            sessions: session.map { [$0] } ?? [])
        // Whatever happens to the process, it is remembered until it is done.
        await keeper.change { $0.work.add(deletion) }
        let begun = work.sessionDeletion(of: clientId, scenariosOnly: keepingEvents)
        let failures = await settle(begun: begun)
        if !failures.isEmpty, begun == work.sessionDeletion(of: clientId, scenariosOnly: keepingEvents) {
            throw TelemetryTransportError(
                code: .unavailable, message: "Still to be deleted: \(failures.joined(separator: "; ")).")
        }
    }

    /// Deletes this client's events, also those that wait in the logger.
    func deleteEvents(of clientId: String) async throws {
        await logger.discardWaiting()
        try await transport.deleteEvents(of: clientId)
        guard transport.consistencyDelay > .zero else { return }
        let date = configuration.date()
        await keeper.change {
            $0.work.add(.init(clientId: clientId, sessionEnd: date, eventsOnly: true, doneAt: date))
        }
    }
}

extension Error {
    /// That the same can never be stored, if that is what the error says.
    fileprivate var refusal: TelemetryTransportError? {
        guard let error = self as? TelemetryTransportError else { return nil }
        return ([error] + error.failures.values).first { $0.code == .invalidArgument }
    }
}

extension TelemetryPendingWork {
    /// What is still to be deleted of the client's sessions.
    fileprivate func sessionDeletion(of clientId: String, scenariosOnly: Bool) -> Deletion? {
        deletions.first { $0.clientId == clientId && $0.sessionEnd != nil && $0.scenariosOnly == scenariosOnly }
    }
}
