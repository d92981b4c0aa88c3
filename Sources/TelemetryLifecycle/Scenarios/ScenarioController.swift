import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

/// Scenarios, pauses and the end of a session: local changes first, then the store's.
@MainActor
final class ScenarioController {
    let registry: ScenarioRegistry
    private let consent: ConsentController
    private let context: LifecycleContext
    private let deletions: PendingDeletions
    private let client: ClientMirror
    private let mirror: ScenarioMirror

    init(
        registry: ScenarioRegistry, consent: ConsentController, client: ClientMirror, deletions: PendingDeletions,
        context: LifecycleContext
    ) {
        self.registry = registry
        self.consent = consent
        self.client = client
        self.deletions = deletions
        self.context = context
        mirror = ScenarioMirror(transport: context.transport, now: context.configuration.date)
    }

    // MARK: Scenarios

    /// - Throws: An error for a name that can never be stored. If the store cannot be reached, the records are stored later.
    func register(_ names: [String]) async throws {
        for name in names { try ScenarioName.check(name) }
        await registry.register(names)
        if let error = await align(), let refusal = error.refusal { throw refusal }
    }

    /// Updates the records of the registered scenarios. Failures are retried soon.
    /// - Returns: The store's error, if any.
    @discardableResult
    func align() async -> (any Error)? {
        guard let clientId = consent.mirroredClient, let states = registry.mirrored else { return nil }
        do {
            try await mirror.align(states, of: clientId)
            return nil
        } catch {
            context.report(.transportFailed, "The scenarios' records could not be updated: \(error.localizedDescription)")
            if error.refusal == nil { context.state.needsRetry = true }
            return error
        }
    }

    /// Applies the host's decision on a scenario.
    func set(_ name: String, _ state: TelemetryScenarioState) async throws {
        try ScenarioName.check(name)
        guard !state.isEnabled || !registry.denied.contains(name) else {
            throw TelemetryTransportError(
                code: .unauthorized, message: "The user forbids the scenario \"\(name)\".")
        }
        try await decide(name, state)
    }

    /// Drops the host's or the viewer's decision on a scenario.
    func reset(_ name: String) async throws {
        try ScenarioName.check(name)
        try await decide(name, nil)
    }

    private func decide(_ name: String, _ decision: TelemetryScenarioState?) async throws {
        await registry.decide(name, decision)
        try await updateRecord(of: name)
    }

    /// Applies a viewer's decision on a scenario.
    /// - Returns: What the policy changed, as text for the viewer.
    func change(_ name: String, _ change: PendingCommand.ScenarioChange) async throws -> String? {
        try ScenarioName.check(name)
        var decision: TelemetryScenarioState?
        var result: String?
        switch change {
        case .enable(let level, let lease, let conditions):
            let grant = try LeaseGrant(level: level, lease: lease, policy: context.configuration.policy)
            decision = TelemetryScenarioState(
                isEnabled: true, level: grant.level, expires: grant.expires(from: context.date), source: .viewer,
                contextConditions: conditions)
            result = grant.result
        case .disable: decision = TelemetryScenarioState(source: .viewer)
        case .reset: break
        }
        do {
            try await decide(name, decision)
        } catch {
            // The change is in effect on this client; the record is updated later.
            context.report(.transportFailed, "A scenario's record could not be updated: \(error.localizedDescription)")
        }
        return result
    }

    /// Forbids a scenario on the user's behalf, or allows it again.
    func setAllowed(_ name: String, _ isAllowed: Bool) async {
        await registry.setDenied(name, !isAllowed)
        await updateRecords(of: [name])
    }

    /// Updates the scenario's record, if there should be one.
    private func updateRecord(of name: String) async throws {
        guard let clientId = consent.mirroredClient, let state = registry.mirrored?[name] else { return }
        try await mirror.align(name, state: state, of: clientId)
    }

    /// Updates the records of several scenarios. Failures are retried soon.
    func updateRecords(of names: Set<String>) async {
        do {
            for name in names.sorted() { try await updateRecord(of: name) }
        } catch {
            context.report(.transportFailed, "A scenario's record could not be updated: \(error.localizedDescription)")
            context.state.needsRetry = true
        }
    }

    /// Turns scenarios that have expired off, first locally and then in the store.
    func endExpired() async {
        let changed = await registry.refresh()
        if !changed.isEmpty, !context.state.isShutDown { await updateRecords(of: changed) }
    }

    /// Decides the states again by the rules in the store. For a client that is not approved, rules are ignored.
    /// - Parameter mirrors: Whether the records are updated at once.
    func applyRules(mirrors: Bool = false) async {
        guard consent.settings.telemetrySendingEnabled else {
            await registry.refresh(rules: [])
            return
        }
        do {
            let changed = await registry.refresh(rules: try await context.transport.fetchRules())
            if mirrors { await updateRecords(of: changed) }
        } catch let error as TelemetryTransportError where error.code == .notFound {
            // CloudKit does not have a record type before the first record of it is saved.
            await registry.refresh(rules: [])
        } catch {
            context.report(.transportFailed, "The rules could not be read; will retry: \(error.localizedDescription)")
            context.state.needsRetry = true
            await registry.refresh()
        }
    }

    /// Limits the logger by the policy's budget, and displays the scenarios that it suspends.
    func applyBudget() {
        guard let budget = context.configuration.policy.budget else { return }
        guard let limit = ScenarioBudget(events: budget.events, bytes: budget.bytes, per: budget.per) else {
            return context.report(.unexpectedInput, "The policy's budget has no effect, because its period is not positive.")
        }
        let isSupported = consent.gate.logger.limit(to: limit) { [weak registry] suspensions in
            await registry?.showSuspensions(suspensions)
        }
        guard !isSupported else { return }
        context.report(.unexpectedInput, "The policy's budget has no effect, because the logger supports none.")
    }

    // MARK: Pauses

    /// Reads the vetoes and the pause, which another process may have changed, and applies them.
    func load() async {
        await registry.load()
        await applyPause()
    }

    /// Changes who pauses. Has no effect while telemetry is not requested.
    func changePause(_ change: (TelemetryPause) -> TelemetryPause) async {
        guard consent.settings.telemetryRequested else { return }
        await registry.changePause(change)
        await applyPause()
        await client.update()
    }

    /// Ends every pause, because consent has ended, and keeps the scenarios' states until they are registered again.
    func suspend() async {
        await registry.suspend()
        await applyPause()
    }

    /// Updates the displayed state and the logger to the pause. There is none while telemetry is not requested.
    private func applyPause() async {
        if !consent.settings.telemetryRequested, !registry.pause.isEmpty { await registry.changePause { _ in [] } }
        let pause = registry.pause
        // A pause is shown once nothing is recorded any more; its end before something is recorded again.
        if pause.isEmpty { context.state.show(pause: pause) }
        await consent.handle(.paused(by: pause))
        context.state.show(pause: pause)
    }

    // MARK: Sessions

    func endSession(keepingEvents: Bool) async throws {
        await registry.clear()
        guard let clientId = consent.settings.clientIdentifier else { return }
        // If the events are kept, those that wait are still delivered.
        let session = keepingEvents ? nil : await consent.gate.inTurn { await $0.renewSession() }
        let deletion = TelemetryPendingWork.Deletion(
            clientId: clientId, sessionEnd: context.date, scenariosOnly: keepingEvents,
            sessions: session.map { [$0] } ?? [])
        // Stored first, so that it is completed even if the process is killed.
        await consent.changeWork { $0.add(deletion) }
        let begun = consent.work.sessionDeletion(of: clientId, scenariosOnly: keepingEvents)
        let failures = await deletions.make(begun: begun)
        if !failures.isEmpty, begun == consent.work.sessionDeletion(of: clientId, scenariosOnly: keepingEvents) {
            throw TelemetryTransportError(
                code: .unavailable, message: "Still to be deleted: \(failures.joined(separator: "; ")).")
        }
    }

    /// Deletes the client's events, including those that wait in the logger.
    func deleteEvents(of clientId: String) async throws {
        await consent.gate.discardWaiting()
        try await context.transport.deleteEvents(of: clientId)
        guard context.transport.consistencyDelay > .zero else { return }
        let date = context.date
        await consent.changeWork {
            $0.add(.init(clientId: clientId, sessionEnd: date, eventsOnly: true, doneAt: date))
        }
    }

    /// Sends the last events of a scenario that the flight recorder kept.
    /// - Parameter lookback: The greatest age of the events, in seconds; nil for all.
    /// - Returns: The number of events, as text for the viewer.
    func capture(_ name: String, lookback: TimeInterval?) async throws -> String {
        guard consent.settings.telemetrySendingEnabled else {
            throw CommandRefused(reason: "The client is not approved, so that it keeps no events.")
        }
        guard registry.pause.isEmpty else {
            throw CommandRefused(reason: "Telemetry is paused on this client, so that it cannot send events.")
        }
        guard consent.gate.logger.hasRecorder else { throw CommandRefused.unsupported(.captureScenario) }
        guard let count = await consent.gate.inTurn({ await $0.dumpRecorded(name, lookback: lookback) }) else {
            throw CommandRefused(reason: "The scenario \"\(name)\" is not recorded on this client now.")
        }
        return count == 1 ? "captured 1 event" : "captured \(count) events"
    }
}

extension Error {
    /// The transport's error, if it shows that the same value can never be stored.
    var refusal: TelemetryTransportError? {
        guard let error = self as? TelemetryTransportError else { return nil }
        return ([error] + error.failures.values).first { $0.code == .invalidArgument }
    }
}

extension TelemetryPendingWork {
    /// The pending deletion of the client's sessions.
    fileprivate func sessionDeletion(of clientId: String, scenariosOnly: Bool) -> Deletion? {
        deletions.first { $0.clientId == clientId && $0.sessionEnd != nil && $0.scenariosOnly == scenariosOnly }
    }
}
