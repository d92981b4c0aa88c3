import TelemetryModels

/// The end of consent: sending stops, and the client's data in the store is deleted.
extension Synchronizer {
    /// Deletes the client's data in the store after the user's opt-out, which is already recorded.
    func leave(reason: Result?) async {
        state.hasStarted = true
        // The user has opted in again in another process.
        guard !settings.telemetryRequested else { return refresh(.everything) }
        state.show(.syncing, "Turning telemetry off.")
        await scenarios.suspend()
        let isOver = commands.isReceiving || !consent.work.deletions.isEmpty
        await stayOff(result: reason ?? .allDisabled, isEnd: isOver)
    }

    /// Disables this client for the viewer.
    /// - Parameter command: The viewer's command. It is kept and marked as executed.
    func disable(_ clientId: String, reason: Result, command: TelemetryRecord.ID? = nil) async {
        state.show(.syncing, "Turning telemetry off.")
        // Stored first, so that it is completed even if the process is killed.
        await consent.handle(.revoked(client: clientId, command: command))
        if settings.telemetryRequested {
            // Another process has replaced the client.
            refresh(.everything)
        } else {
            await scenarios.suspend()
        }
        await stayOff(result: reason, isEnd: true)
    }

    /// Resets the settings and stops sending, because the client's record was deleted.
    func reset(_ clientId: String) async {
        state.show(.syncing, "The client's record is gone.")
        guard await consent.handle(.removed(client: clientId)) else {
            _ = await continueWithoutClient()
            return
        }
        await scenarios.suspend()
        state.clientRecord = nil
        watch()
        let failures = await commands.tearDown() + commands.unsubscribe(clientId)
        for failure in failures { context.report(.transportFailed, failure) }
        state.reconciliation = .missingClient
        state.show(.disabled, "The client's record was deleted. Telemetry is off.")
    }

    /// Keeps telemetry off: nothing is recorded, and pending work is done.
    /// - Parameter isEnd: Whether consent has just ended; then the client's own deletion is made first.
    func stayOff(result: Result, isEnd: Bool = false) async {
        await consent.handle(.foundOff)
        await cleanUpAfterDeparture()
        state.clientRecord = nil
        // Another process of the app may have ended the consent.
        var failures: [String] = []
        if isEnd || commands.isReceiving {
            watch()
            failures = await commands.tearDown()
        }
        failures += await deletions.make(isNewestFirst: isEnd)
        state.reconciliation = result
        show(off: failures)
    }

    /// If another process ended this client's consent, deletes the client's data again once the logger has stopped: this process
    /// may have stored events after the other one's deletion.
    func cleanUpAfterDeparture() async {
        guard let clientId = consent.state.used, settings.clientIdentifier != clientId else { return }
        await consent.handle(.departed(client: clientId))
        if !settings.telemetryRequested { await scenarios.suspend() }
    }

    private func show(off failures: [String]) {
        let isUnrecorded = consent.state.optOut == .unrecorded
        guard !failures.isEmpty || isUnrecorded else {
            let isRepeated =
                context.transport.consistencyDelay == .zero
                && consent.work.deletions.contains { $0.doneAt != nil }
            let message = "Telemetry is off. Events that another process of the app still stores are deleted once it stops."
            return state.show(.disabled, isRepeated ? message : nil)
        }
        var message = "Telemetry is off"
        if isUnrecorded { message += "; this could not be stored, and a restart may turn it on again" }
        if !failures.isEmpty { message += "; still to be deleted: \(failures.joined(separator: "; "))" }
        message += "."
        state.show(.error(message), message)
    }
}
