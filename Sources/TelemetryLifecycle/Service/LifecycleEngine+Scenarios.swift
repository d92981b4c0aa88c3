import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTransport

/// Scenarios and the end of a session: local changes first, then the store's.
extension LifecycleEngine {
    /// - Throws: An error for a name that can never be stored. If the store cannot be reached, the records are stored later.
    func register(_ names: [String]) async throws {
        for name in names { try ScenarioName.check(name) }
        await scenarios.register(names)
        if let error = await alignScenarios(), let refusal = error.refusal { throw refusal }
    }

    /// Updates the records of the registered scenarios. Failures are retried soon.
    /// - Returns: The store's error, if any.
    @discardableResult
    func alignScenarios() async -> (any Error)? {
        guard let clientId = mirroredClient, let states = scenarios.mirrored else { return nil }
        do {
            try await mirror.align(states, of: clientId)
            return nil
        } catch {
            report(.transportFailed, "The scenarios' records could not be updated: \(error.localizedDescription)")
            if error.refusal == nil { isInDoubt = true }
            return error
        }
    }

    /// Applies the host's decision on a scenario.
    func setScenario(_ name: String, _ state: TelemetryScenarioState) async throws {
        try ScenarioName.check(name)
        await scenarios.load()
        guard !state.isEnabled || !scenarios.denied.contains(name) else {
            throw TelemetryTransportError(
                code: .unauthorized, message: "The user forbids the scenario \"\(name)\".")
        }
        await scenarios.decide(name, state)
        try await mirrorScenario(name)
    }

    func resetScenario(_ name: String) async throws {
        try ScenarioName.check(name)
        await scenarios.decide(name, nil)
        try await mirrorScenario(name)
    }

    /// Forbids a scenario on the user's behalf, or allows it again.
    func setAllowed(_ name: String, _ isAllowed: Bool) async {
        await scenarios.setDenied(name, !isAllowed)
        await mirrorChanges([name])
    }

    /// Updates the scenario's record, if there should be one.
    func mirrorScenario(_ name: String) async throws {
        guard let clientId = mirroredClient, let state = scenarios.mirrored?[name] else { return }
        try await mirror.align(name, state: state, of: clientId)
    }

    /// Updates the records of several scenarios. Failures are retried soon.
    private func mirrorChanges(_ names: Set<String>) async {
        do {
            for name in names.sorted() { try await mirrorScenario(name) }
        } catch {
            report(.transportFailed, "A scenario's record could not be updated: \(error.localizedDescription)")
            isInDoubt = true
        }
    }

    /// Turns scenarios that have expired off, first locally and then in the store.
    func endExpiredScenarios() async {
        let changed = await scenarios.refresh()
        if !changed.isEmpty, !isShutDown { await mirrorChanges(changed) }
    }

    /// Decides the states again by the rules in the store. For a client that is not approved, rules are ignored.
    /// - Parameter mirrors: Whether the records are updated at once.
    func followRules(mirrors: Bool = false) async {
        guard settings.telemetrySendingEnabled else {
            await scenarios.refresh(rules: [])
            return
        }
        do {
            let changed = await scenarios.refresh(rules: try await transport.fetchRules())
            if mirrors { await mirrorChanges(changed) }
        } catch let error as TelemetryTransportError where error.code == .notFound {
            // CloudKit does not have a record type before the first record of it is saved.
            await scenarios.refresh(rules: [])
        } catch {
            report(.transportFailed, "The rules could not be read; will retry: \(error.localizedDescription)")
            isInDoubt = true
            await scenarios.refresh()
        }
    }

    /// Limits the logger by the policy's budget, and displays the scenarios that it suspends.
    func applyBudget() {
        guard let budget = configuration.policy.budget else { return }
        guard let limit = ScenarioBudget(events: budget.events, bytes: budget.bytes, per: budget.per) else {
            return report(.unexpectedInput, "The policy's budget has no effect, because its period is not positive.")
        }
        let isSupported = logger.logger.limit(to: limit) { [weak scenarios] suspensions in
            await scenarios?.showSuspensions(suspensions)
        }
        if !isSupported { report(.unexpectedInput, "The policy's budget has no effect, because the logger supports none.") }
    }

    /// Starts a timer for the first scenario that expires.
    func watchLeases() {
        let next = isShutDown ? nil : scenarios.nextEnd
        guard next != leaseTimer?.end else { return }
        leaseTimer = next.map { end in
            let (clock, date) = (configuration.clock, configuration.date)
            let task = Task(executorPreference: configuration.executor) { [weak self] in
                // At most 15 minutes at a time, because setting the clock forward ends a lease early.
                let seconds = min(max(end.timeIntervalSince(date()), 0), 900)
                do { try await clock.sleep(for: .seconds(seconds)) } catch { return }
                await self?.leaseTimerFired()
            }
            return (end: end, task: OwnedTask(task))
        }
    }

    private func leaseTimerFired() {
        leaseTimer = nil
        guard !isShutDown else { return }
        inBackground(backsUp: false) { engine in await engine.endExpiredScenarios() }
    }

    func endSession(keepingEvents: Bool) async throws {
        await scenarios.clear()
        guard let clientId = settings.clientIdentifier else { return }
        // If the events are kept, those that wait are still delivered.
        let session = keepingEvents ? nil : await logger.beginSession()
        let deletion = TelemetryPendingWork.Deletion(
            clientId: clientId, sessionEnd: configuration.date(), scenariosOnly: keepingEvents,
            sessions: session.map { [$0] } ?? [])
        // Stored first, so that it is completed even if the process is killed.
        await keeper.change { $0.work.add(deletion) }
        let begun = work.sessionDeletion(of: clientId, scenariosOnly: keepingEvents)
        let failures = await settle(begun: begun)
        if !failures.isEmpty, begun == work.sessionDeletion(of: clientId, scenariosOnly: keepingEvents) {
            throw TelemetryTransportError(
                code: .unavailable, message: "Still to be deleted: \(failures.joined(separator: "; ")).")
        }
    }

    /// Deletes this client's events, including those that wait in the logger.
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
