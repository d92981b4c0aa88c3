import Foundation
import Synchronization
import TelemetryModels
import TelemetryTransport

/// Reconciling the local settings with the store.
extension LifecycleEngine {
    typealias Result = TelemetryLifecycleService.ReconciliationResult

    /// - Parameters:
    ///   - isQuiet: Whether the status does not change meanwhile.
    ///   - isOptIn: Whether the user has just opted in.
    /// - Returns: The result; nil if the store could not be reached.
    func reconcile(isQuiet: Bool = false, isOptIn: Bool = false) async -> Result? {
        hasStarted = true
        isInDoubt = false
        guard settings.telemetryRequested else {
            await stayOff(result: .allDisabled)
            return .allDisabled
        }
        guard !isShutDown else {
            // A service that was shut down does not turn the logger on or run commands.
            state.show(.idle, nil)
            return nil
        }
        if !isQuiet { state.show(.syncing, "Contacting the store.") }
        await scenarios.resume()
        _ = await settle(isForReturn: true)
        do {
            guard let clientId = try await identify() else { return await continueWithoutClient() }
            await transport.setClientIdentifier(clientId)
            let needsRegistration = keeper.state.needsRegistration(of: clientId)
            let client = try await findClient(clientId)
            guard isCurrent(clientId) else { return await continueWithoutClient() }
            await follow(
                Reconciliation.decide(
                    settings: settings, needsRegistration: keeper.state.needsRegistration(of: clientId),
                    serverEnabled: client?.isEnabled, isOptIn: isOptIn || needsRegistration),
                client, clientId)
        } catch {
            await keepLocalState(after: error)
            _ = await settle()
            return nil
        }
        guard settings.telemetryRequested else { return state.reconciliation }
        await runCommands()
        guard settings.telemetryRequested else { return state.reconciliation }
        await followRules()
        await alignScenarios()
        // Last, because a hanging deletion of another client or session would leave no time for this client.
        if settings.telemetryRequested { _ = await settle() }
        return state.reconciliation
    }

    /// Returns the client's identifier; nil if telemetry was turned off meanwhile. Generates one if telemetry is requested without
    /// one.
    private func identify() async throws -> String? {
        if settings.clientIdentifier == nil {
            let identifiers = identifiers
            let generated = Mutex<String?>(nil)
            await keeper.change { state in
                guard state.settings.telemetryRequested, state.settings.clientIdentifier == nil else { return }
                state.optIn(generated.once(identifiers.generateIdentifier))
            }
        }
        guard let clientId = settings.clientIdentifier else { return nil }
        let isLeaving = work.deletions.contains {
            $0.clientId == clientId && $0.sessionEnd == nil && $0.doneAt == nil && !$0.endsOnReturn
        }
        guard !isLeaving else {
            throw TelemetryTransportError(code: .unavailable, message: "The client's earlier data is not deleted yet.")
        }
        await keeper.beginUse(of: clientId)
        guard isCurrent(clientId) else { return try await identify() }
        ownClient = clientId
        return clientId
    }

    private func isCurrent(_ clientId: String) -> Bool {
        settings.telemetryRequested && settings.clientIdentifier == clientId
    }

    /// Continues after the client changed during the reconciliation.
    func continueWithoutClient() async -> Result? {
        await cleanUpAfterDeparture()
        guard settings.telemetryRequested else {
            await stayOff(result: .allDisabled)
            return .allDisabled
        }
        // Another process has replaced the client.
        refresh(.everything)
        return state.reconciliation
    }

    /// Returns the client's record, created if its registration is pending; nil if it was deleted.
    private func findClient(_ clientId: String) async throws -> TelemetryClientRecord? {
        guard keeper.state.needsRegistration(of: clientId) else { return try await registration.find(clientId) }
        let date = configuration.date()
        let (client, isNew) = try await registration.findOrCreate(clientId, ClientPresence(at: date))
        if isNew { presence.noteWrite(for: clientId, at: date) }
        await keeper.change { $0.completeRegistration(of: clientId) }
        return client
    }

    private func follow(_ decision: Reconciliation, _ client: TelemetryClientRecord?, _ clientId: String) async {
        if state.clientRecord != client { state.clientRecord = client }
        switch decision.step {
        case .disable:
            return await disable(clientId, reason: .serverDisabledLocalEnabled)
        case .reset, .register, .stayOff:
            return await reset(clientId)
        case .keepOn, .turnOn:
            await setSending(true, of: clientId)
            // Another process of the app may have opted out since the reconciliation began.
            guard isCurrent(clientId) else {
                _ = await continueWithoutClient()
                return
            }
            state.show(.enabled, nil)
        case .wait:
            await setSending(false, of: clientId)
            guard isCurrent(clientId) else {
                _ = await continueWithoutClient()
                return
            }
            state.show(.pendingApproval, "Waiting for the viewer's approval.")
        }
        state.reconciliation = decision.result
        // Before subscribing, so that a new client is not notified of its own change.
        await mirrorClient()
        await setUp()
    }

    /// Keeps the local state, because the store cannot be reached.
    private func keepLocalState(after error: any Error) async {
        let message = "The store cannot be reached: \(error.localizedDescription)"
        report(.transportFailed, message)
        await logger.turn(on: settings.telemetrySendingEnabled, clientId: settings.clientIdentifier)
        await setUp(canReachStore: false)
        await scenarios.refresh()
        state.show(.error(message), message)
    }

    /// Turns sending on or off, in the settings and in the logger.
    func setSending(_ isOn: Bool, of clientId: String) async {
        if !isOn { await logger.turn(on: false, clientId: clientId) }
        // Not if another process of the app has replaced the client: the new one is not approved yet.
        await keeper.change { if $0.settings.clientIdentifier == clientId { $0.settings.telemetrySendingEnabled = isOn } }
        if isOn, isCurrent(clientId) { await logger.turn(on: settings.telemetrySendingEnabled, clientId: clientId) }
    }

    /// The client whose records mirror the local state; nil if there is none yet.
    var mirroredClient: String? {
        guard settings.telemetryRequested, let clientId = settings.clientIdentifier else { return nil }
        return keeper.state.needsRegistration(of: clientId) ? nil : clientId
    }
}
