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

    /// Takes the host's decision on a scenario.
    func setScenario(_ name: String, _ state: TelemetryScenarioState) async throws {
        try ScenarioName.check(name)
        await scenarios.load()
        guard !state.isEnabled || !scenarios.denied.contains(name) else {
            throw TelemetryTransportError(
                code: .unauthorized, message: "The person who uses the app forbids the scenario \"\(name)\".")
        }
        await scenarios.decide(name, state)
        try await mirrorScenario(name)
    }

    func resetScenario(_ name: String) async throws {
        try ScenarioName.check(name)
        await scenarios.decide(name, nil)
        try await mirrorScenario(name)
    }

    /// The person forbids a scenario, or allows it again.
    func setAllowed(_ name: String, _ isAllowed: Bool) async {
        await scenarios.setDenied(name, !isAllowed)
        await mirrorChanges([name])
    }

    /// Brings the record in line, where there should be one.
    func mirrorScenario(_ name: String) async throws {
        guard let clientId = mirroredClient, let state = scenarios.mirrored?[name] else { return }
        try await mirror.align(name, state: state, of: clientId)
    }

    /// The same for several; what fails for now is tried again soon.
    private func mirrorChanges(_ names: Set<String>) async {
        do {
            for name in names.sorted() { try await mirrorScenario(name) }
        } catch {
            report(.transportFailed, "A scenario's record is not in line: \(error.localizedDescription)")
            isInDoubt = true
        }
    }

    /// Time has passed: what has ended is off from now on, here and then at the store.
    func endExpiredScenarios() async {
        let changed = await scenarios.refresh()
        if !changed.isEmpty, !isShutDown { await mirrorChanges(changed) }
    }

    /// Decides anew by the rules at the store; those of a client that is not approved do not count.
    /// - Parameter mirrors: Whether the records are brought in line at once.
    func followRules(mirrors: Bool = false) async {
        guard settings.telemetrySendingEnabled else {
            await scenarios.refresh(rules: [])
            return
        }
        do {
            let changed = await scenarios.refresh(rules: try await transport.fetchRules())
            if mirrors { await mirrorChanges(changed) }
        } catch let error as TelemetryTransportError where error.code == .notFound {
            // The store's schema is that of version 1, which has no rules.
            await scenarios.refresh(rules: [])
        } catch {
            report(.transportFailed, "The rules could not be read; will retry: \(error.localizedDescription)")
            isInDoubt = true
            await scenarios.refresh()
        }
    }

    /// Sleeps until the first scenario ends by itself, to end it then.
    func watchLeases() {
        let next = isShutDown ? nil : scenarios.nextEnd
        guard next != leaseTimer?.end else { return }
        leaseTimer = next.map { end in
            let (clock, date) = (configuration.clock, configuration.date)
            let task = Task(executorPreference: configuration.executor) { [weak self] in
                // Not for longer at once: a clock that is set forward ends a lease early.
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
