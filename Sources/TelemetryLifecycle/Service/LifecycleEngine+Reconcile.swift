import Foundation
import Synchronization
import TelemetryModels
import TelemetryTransport

/// Bringing together what is wanted here and what the store says.
extension LifecycleEngine {
    typealias Result = TelemetryLifecycleService.ReconciliationResult

    /// - Parameters:
    ///   - isQuiet: Whether the status stays as it is meanwhile.
    ///   - isOptIn: Whether the person has just asked for telemetry.
    /// - Returns: what it came to; nil where the store could not be reached.
    func reconcile(isQuiet: Bool = false, isOptIn: Bool = false) async -> Result? {
        hasStarted = true
        isInDoubt = false
        guard settings.telemetryRequested else {
            await stayOff(result: .allDisabled)
            return .allDisabled
        }
        guard !isShutDown else {
            // The logger is not turned on again, and no viewer's command is run by a service that has ended.
            state.show(.idle, nil)
            return nil
        }
        if !isQuiet { state.show(.syncing, "Asking the store.") }
        await scenarios.resume()
        _ = await settle(isForReturn: true)
        do {
            let clientId = try await identify()
            await transport.setClientIdentifier(clientId)
            let needsRegistration = keeper.state.needsRegistration(of: clientId)
            let client = try await findClient(clientId)
            guard isCurrent(clientId) else { return await goOnWithoutClient() }
            await follow(
                Reconciliation.decide(
                    settings: settings, needsRegistration: keeper.state.needsRegistration(of: clientId),
                    serverEnabled: client?.isEnabled, isOptIn: isOptIn || needsRegistration),
                client, clientId)
        } catch {
            await standAlone(error)
            _ = await settle()
            return nil
        }
        guard settings.telemetryRequested else { return state.reconciliation }
        await runCommands()
        guard settings.telemetryRequested else { return state.reconciliation }
        await mirrorPause()
        await followRules()
        await alignScenarios()
        // Last: a deletion that hangs, of another client or session, would leave no time for this one.
        if settings.telemetryRequested { _ = await settle() }
        return state.reconciliation
    }

    /// The identifier; one is made where telemetry is requested without any.
    private func identify() async throws -> String {
        if settings.clientIdentifier == nil {
            let identifiers = identifiers
            let generated = Mutex<String?>(nil)
            await keeper.change { state in
                guard state.settings.telemetryRequested, state.settings.clientIdentifier == nil else { return }
                state.optIn(generated.once(identifiers.generateIdentifier))
            }
        }
        if let clientId = settings.clientIdentifier {
            let isLeaving = work.deletions.contains {
                $0.clientId == clientId && $0.sessionEnd == nil && $0.doneAt == nil && !$0.endsOnReturn
            }
            guard !isLeaving else {
                throw TelemetryTransportError(
                    code: .unavailable, message: "What the client had before is still to be deleted.")
            }
            await keeper.beginUse(of: clientId)
            guard isCurrent(clientId) else { return try await identify() }
            ownClient = clientId
            return clientId
        }
        throw TelemetryTransportError(code: .unavailable, message: "Telemetry was turned off meanwhile.")
    }

    private func isCurrent(_ clientId: String) -> Bool {
        settings.telemetryRequested && settings.clientIdentifier == clientId
    }

    /// The client that the look was about is not this one any more.
    func goOnWithoutClient() async -> Result? {
        await noticeDeparture()
        guard settings.telemetryRequested else {
            await stayOff(result: .allDisabled)
            return .allDisabled
        }
        // Another process has put another client in its place.
        refresh(.everything)
        return state.reconciliation
    }

    /// The client's record, created where that is pending; nil where it is gone.
    private func findClient(_ clientId: String) async throws -> TelemetryClientRecord? {
        guard keeper.state.needsRegistration(of: clientId) else { return try await registration.find(clientId) }
        let client = try await registration.findOrCreate(clientId)
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
            // Another process of the app may have opted out since the look began.
            guard isCurrent(clientId) else {
                _ = await goOnWithoutClient()
                return
            }
            state.show(.enabled, nil)
        case .wait:
            await setSending(false, of: clientId)
            guard isCurrent(clientId) else {
                _ = await goOnWithoutClient()
                return
            }
            state.show(.pendingApproval, "Waiting for the viewer's approval.")
        }
        state.reconciliation = decision.result
        await setUp()
    }

    /// The store cannot be reached: what is known here holds.
    private func standAlone(_ error: any Error) async {
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
        // Not for a client that another process of the app has put in its place: that one is not approved yet.
        await keeper.change { if $0.settings.clientIdentifier == clientId { $0.settings.telemetrySendingEnabled = isOn } }
        if isOn, isCurrent(clientId) { await logger.turn(on: settings.telemetrySendingEnabled, clientId: clientId) }
    }

    /// The client whose records mirror what is so here; nil where there is none yet.
    var mirroredClient: String? {
        guard settings.telemetryRequested, let clientId = settings.clientIdentifier else { return nil }
        return keeper.state.needsRegistration(of: clientId) ? nil : clientId
    }
}
