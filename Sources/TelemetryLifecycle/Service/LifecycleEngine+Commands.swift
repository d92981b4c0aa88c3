import Foundation
import TelemetryModels
import TelemetryTransport

/// Receiving and executing the viewer's commands.
extension LifecycleEngine {
    /// Starts receiving commands for the client. Does nothing that is already done.
    /// - Parameter canReachStore: Whether the store is reachable, so that subscribing can succeed.
    func setUp(canReachStore: Bool = true) async {
        guard let clientId = settings.clientIdentifier, !isShutDown else { return }
        if commands?.clientId != clientId { commands = (clientId, makeRunner(for: clientId)) }
        watch()
        if canReachStore, mirroredClient != nil { await subscribe(clientId) }
        if !state.isProcessingCommands {
            state.isProcessingCommands = true
            onCommandProcessing?(true)
        }
        if isNotificationKept {
            isNotificationKept = false
            refresh(.everything)
        }
    }

    /// Stops receiving commands.
    /// - Returns: Descriptions of the failures.
    func tearDown() async -> [String] {
        watch()
        commands = nil
        if state.isProcessingCommands {
            state.isProcessingCommands = false
            onCommandProcessing?(false)
        }
        let subscriptions = subscriptions
        do {
            try await calls.call { try await subscriptions.unregisterSubscription() }
            return []
        } catch {
            return ["subscription (\(error.localizedDescription))"]
        }
    }

    private func subscribe(_ clientId: String) async {
        let subscriptions = subscriptions
        do {
            try await calls.call { try await subscriptions.registerSubscription(for: clientId) }
            try await transport.subscribe(NotificationFilter.clientSubscription(for: clientId))
            try await transport.subscribe(NotificationFilter.ruleSubscription)
        } catch {
            report(.transportFailed, "Subscription failed; polling instead: \(error.localizedDescription)")
        }
    }

    /// Ends the subscriptions of a client that no longer exists, also those made by an earlier run of the app.
    /// - Returns: Descriptions of the failures.
    func unsubscribe(_ clientId: String) async -> [String] {
        do {
            try await transport.deleteSubscription(withID: NotificationFilter.commandSubscriptionID(for: clientId))
            try await transport.deleteSubscription(withID: NotificationFilter.clientSubscription(for: clientId).id)
            return []
        } catch {
            return ["subscriptions (\(error.localizedDescription))"]
        }
    }

    /// Runs this client's pending commands.
    func runCommands() async {
        guard !isShutDown, let clientId = mirroredClient, let commands, commands.clientId == clientId else { return }
        if let error = await commands.runner.run() {
            report(.transportFailed, "The commands could not all be run and marked; will retry: \(error.localizedDescription)")
            // The pending commands are retried soon, as after an abandoned call.
            isInDoubt = true
        }
    }

    /// Returns what the notification requires to refresh; nil if it does not concern this client.
    func scope(of notification: TelemetryNotification) async -> RefreshScope? {
        guard let clientId = settings.clientIdentifier else { return nil }
        let filter = NotificationFilter(
            clientId: clientId, commandSubscriptionID: await subscriptions.currentSubscriptionID)
        if filter.concernsClient(notification) { return .everything }
        if filter.concernsRules(notification) { return .rules }
        return filter.concernsCommands(notification) ? .commands : nil
    }

    /// Handles a notification that the host received.
    func handle(_ notification: TelemetryNotification) async -> Bool {
        guard let scope = await scope(of: notification) else { return false }
        if hasStarted { await look(scope) } else { isNotificationKept = true }
        return true
    }

    private func makeRunner(for clientId: String) -> CommandRunner {
        CommandRunner(
            transport: transport, clientId: clientId, hasCurrentQueries: transport.consistencyDelay == .zero,
            now: configuration.date,
            handlers: CommandRunner.Handlers(
                enable: { [weak self] _ in try await self?.viewerEnabled(clientId) },
                disable: { [weak self] command in try await self?.viewerDisabled(clientId, command: command) },
                deleteEvents: { [weak self] _ in try await self?.viewerDeletedEvents(clientId) },
                changeScenario: { [weak self] name, change in
                    try await self?.viewerChanged(name, change, of: clientId)
                },
                captureScenario: { [weak self] name, lookback in
                    try await self?.viewerDumped(name, lookback: lookback, of: clientId)
                },
                setPaused: { [weak self] isPaused in try await self?.viewerPaused(isPaused, clientId) },
                rejection: { [weak self] work in await self?.rejection(of: work) }))
    }

    private func viewerEnabled(_ clientId: String) async throws {
        try require(clientId)
        // The record first: the next reconciliation would disable a client that sends although its record is not enabled.
        state.clientRecord = try await registration.enable(clientId)
        await setSending(true, of: clientId)
        guard settings.telemetrySendingEnabled else { return }
        state.reconciliation = .localAndServerEnabled
        state.show(.enabled, nil)
        await followRules(mirrors: true)
    }

    private func viewerDisabled(_ clientId: String, command: TelemetryRecord.ID) async throws {
        try require(clientId)
        await disable(clientId, reason: .serverDisabledLocalEnabled, command: command)
    }

    private func viewerDeletedEvents(_ clientId: String) async throws {
        try require(clientId)
        try await deleteEvents(of: clientId)
    }

    /// - Returns: What the policy changed, as text for the viewer.
    private func viewerChanged(
        _ name: String, _ change: PendingCommand.ScenarioChange, of clientId: String
    ) async throws -> String? {
        try require(clientId)
        try ScenarioName.check(name)
        var decision: TelemetryScenarioState?
        var result: String?
        switch change {
        case .enable(let level, let lease):
            let grant = try LeaseGrant(level: level, lease: lease, policy: configuration.policy)
            decision = TelemetryScenarioState(
                isEnabled: true, level: grant.level, expires: grant.expires(from: configuration.date()), source: .viewer)
            result = grant.result
        case .disable: decision = TelemetryScenarioState(source: .viewer)
        case .reset: decision = nil
        }
        await scenarios.decide(name, decision)
        do {
            try await mirrorScenario(name)
        } catch {
            // The change is in effect on this client; the record is updated later.
            report(.transportFailed, "A scenario's record could not be updated: \(error.localizedDescription)")
        }
        return result
    }

    /// Returns why the user or the host does not allow a command; nil if it is allowed.
    private func rejection(of work: PendingCommand.Work) async -> String? {
        // The user may have forbidden a scenario or paused in another process of the app since this operation began.
        await scenarios.load()
        await applyPause()
        switch work {
        case .scenario(let name, .enable):
            return vetoRejection(of: name) ?? configuration.policy.enablingRejection(of: name)
        case .capture(let name, _):
            return vetoRejection(of: name) ?? configuration.policy.capturingRejection(of: name)
        default: return pauseRejection(of: work)
        }
    }

    private func vetoRejection(of name: String) -> String? {
        scenarios.denied.contains(name) ? "The user forbids the scenario \"\(name)\"." : nil
    }

    /// - Throws: An error if the command's client is no longer the current one.
    func require(_ clientId: String) throws {
        guard settings.telemetryRequested, settings.clientIdentifier == clientId else {
            throw CommandRefused(reason: "Telemetry is off on this client.")
        }
    }
}
