public import Foundation
public import TelemetryModels
public import TelemetryPersistence
public import TelemetryTransport

extension TelemetryLifecycleService {
    /// Reads the settings. If telemetry is requested, completes the startup in a separate task; see ``restorationFinished()``.
    /// Does nothing if it was called before or another operation completed the startup.
    /// - Returns: The stored settings.
    @discardableResult
    public func startup() async -> TelemetrySettings {
        if status == .idle { state.show(.loading, "Reading the settings.") }
        return await parts.operations.run(backsUp: false) { [parts] in
            await parts.synchronizer.startUp()
            return parts.consent.settings
        }
    }

    /// Returns once the startup's task is done; at once if there is none.
    public func restorationFinished() async {
        // Returns when the operations enqueued so far are done, including the startup.
        if isRestorationInProgress { await parts.operations.run {} }
    }

    /// Requests telemetry on the user's behalf. The client's record is created, and a viewer approves it or not.
    ///
    /// If the store cannot be reached, the request is stored, and a later reconciliation creates the client's record.
    @discardableResult
    public func enableTelemetry() async -> TelemetrySettings {
        let decision = parts.consent.decide()
        return await parts.operations.run { [parts] in
            await parts.synchronizer.enable(by: decision)
            return parts.consent.settings
        }
    }

    /// Withdraws the user's consent: sending stops, this client's data in the store is deleted, and the settings are reset. The
    /// scenarios are unregistered until they are registered again or telemetry is requested again, which registers the same ones.
    /// Their persisted states are kept.
    ///
    /// Failed deletions are reported in ``status`` and ``statusMessage`` and retried later, even after a restart.
    /// - Parameter reason: The value of ``reconciliation`` afterwards; nil for `.allDisabled`.
    @discardableResult
    public func disableTelemetry(reason: ReconciliationResult? = nil) async -> TelemetrySettings {
        parts.consent.optOut()
        return await parts.operations.runAfterOptOut { [parts] in
            await parts.synchronizer.leave(reason: reason)
            return parts.consent.settings
        }
    }

    /// Compares the settings with the client's record in the store and applies the viewer's decision. Then runs pending commands
    /// and updates the scenarios' records.
    /// - Returns: The result; nil if the store could not be reached, and then nothing changes.
    @discardableResult
    public func reconcile() async -> ReconciliationResult? {
        await parts.operations.run { [parts] in await parts.synchronizer.reconcile() }
    }

    /// Refreshes from the store if the notification may concern this client. For hosts that receive push notifications; the
    /// service follows the transport's own stream itself. A notification that arrives before ``startup()`` is kept until then.
    /// - Returns: Whether it may concern this client.
    public func handleRemoteNotification(_ notification: TelemetryNotification) async -> Bool {
        await parts.operations.run { [parts] in await parts.synchronizer.handle(notification) }
    }

    /// Reports that the app could not be registered for push notifications.
    package func reportRegistrationFailure(_ error: any Error) {
        parts.context.report(
            .transportFailed,
            "The app could not register for push notifications; commands are fetched periodically until it can: \(error)")
    }

    /// Replaces the registered scenarios. Persisted states are restored; new scenarios are off.
    ///
    /// May be called at any time. If there is a client, its scenario records are updated, now or, if the store cannot be reached,
    /// at the next reconciliation.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` with `.invalidArgument` for a name that is empty or longer than
    ///   256 bytes of UTF-8, and then nothing changes; also for a name that the store can never accept, and then all are
    ///   registered locally.
    public func registerScenarios(_ scenarioNames: [String]) async throws {
        try await change { try await $0.register(scenarioNames) }
    }

    /// Turns a scenario on, at every level, or off, until another decision is made; first locally, then in the store.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` with `.invalidArgument` for a name that is empty or longer than
    ///   256 bytes of UTF-8, and then nothing changes; the transport's error, and then the change is in effect locally and the
    ///   record is updated later.
    public func setScenarioEnabled(_ scenarioName: String, enabled: Bool) async throws {
        try await setScenarioEnabled(scenarioName, enabled: enabled, level: .diagnostic, expires: nil)
    }

    /// Ends the session: this client's scenario records and events are deleted, and the scenarios are unregistered; they keep
    /// their states when they are registered again. Later events have another session.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` where something could not be deleted; it is tried again later, even after a restart.
    public func endSession() async throws { try await endSession(keepingEvents: false) }

    /// Ends the session; see ``endSession()``.
    /// - Parameter keepingEvents: Whether the events are kept in the store, and waiting events are still delivered. Later events
    ///   have the same session.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` where something could not be deleted; it is tried again later, even after a restart.
    public func endSession(keepingEvents: Bool) async throws {
        try await change { try await $0.endSession(keepingEvents: keepingEvents) }
    }

    /// Restores the settings from the backup, as after a reinstallation, and completes the startup with them. Local settings that
    /// are newer than the backup are kept. Without a coordinator or a backup, returns `.fresh`.
    @discardableResult
    public func restoreFromBackup() async -> TelemetrySettingsSyncCoordinator.RestoreState {
        let decision = parts.consent.decide()
        return await parts.operations.run { [parts] in await parts.synchronizer.restoreFromBackup(by: decision) }
    }

    /// Ends background work, waits for running operations and shuts the logger down, all within
    /// ``Configuration/operationTimeout``. Call it last.
    ///
    /// Nothing is turned on afterwards: ``reconcile()`` returns nil and ``status`` is ``Status/idle``. The user's decisions are
    /// still stored, and opting out still deletes the data in the store.
    public func shutdown() async { await parts.shutDown() }
}

/// Scenarios and pauses.
extension TelemetryLifecycleService {
    /// Turns a scenario on or off on the host's behalf, first locally, then in the store. The policy does not apply to the host.
    /// - Parameters:
    ///   - scenarioName: The scenario, registered or not.
    ///   - enabled: Whether it is on.
    ///   - level: The most detailed level that is recorded.
    ///   - expires: When the decision expires; nil if it does not. After that rules decide; without a rule the scenario is off.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` with `.invalidArgument` for a name that is empty or longer than
    ///   256 bytes of UTF-8, with `.unauthorized` for turning on a scenario that the user forbids, and then nothing changes;
    ///   the transport's error, and then the change is in effect locally and the record is updated later.
    public func setScenarioEnabled(
        _ scenarioName: String, enabled: Bool, level: TelemetryLogLevel, expires: Date?
    ) async throws {
        let state = TelemetryScenarioState(isEnabled: enabled, level: level, expires: expires, source: .host)
        try await change { try await $0.set(scenarioName, state) }
    }

    /// Drops the host's or the viewer's decision on a scenario: rules decide; without a rule it is off.
    /// - Throws: as ``setScenarioEnabled(_:enabled:level:expires:)``.
    public func resetScenario(_ scenarioName: String) async throws {
        try await change { try await $0.reset(scenarioName) }
    }

    /// Pauses on the host's behalf: no events are recorded or sent until ``resumeTelemetry()``, even across restarts. Waiting
    /// events, the client, its approval, scenarios, records and stored events are kept. Leases continue to run. A viewer cannot
    /// end the pause. Does nothing if telemetry is not requested.
    ///
    /// A logger that is not the library's is turned off meanwhile, which discards its waiting events.
    public func pauseTelemetry() async { await changePause { $0.union(.byHost) } }

    /// Ends every pause, the host's and the viewer's.
    public func resumeTelemetry() async { await changePause { _ in [] } }

    /// Forbids a scenario on behalf of the user, or allows it again. A forbidden scenario is off whatever the
    /// host, viewers and rules decide; their decisions apply again once it is allowed. Persisted, even after
    /// ``disableTelemetry(reason:)``.
    public func setScenarioAllowed(_ scenarioName: String, allowed: Bool) async {
        await parts.operations.run { [parts] in await parts.scenarios.setAllowed(scenarioName, allowed) }
    }

    private func change(_ body: @escaping @MainActor (ScenarioController) async throws -> Void) async throws {
        try await parts.operations.run { [parts] in await Outcome { try await body(parts.scenarios) } }.get()
    }

    private func changePause(_ change: @escaping @MainActor (TelemetryPause) -> TelemetryPause) async {
        await parts.operations.run { [parts] in await parts.scenarios.changePause(change) }
    }
}
