import Foundation
import TelemetryModels
import TelemetryTransport

/// Receiving and executing the viewer's commands.
extension LifecycleEngine {
    /// Begins to receive commands for the client; what is set up already stays.
    /// - Parameter canReachStore: Whether it is worth the time to subscribe.
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
    /// - Returns: what failed, in words.
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
        } catch {
            report(.transportFailed, "Subscription failed; polling instead: \(error.localizedDescription)")
        }
    }

    /// Ends the subscriptions of a client that is gone, also those that an earlier run of the app made.
    /// - Returns: what failed, in words.
    func unsubscribe(_ clientId: String) async -> [String] {
        do {
            try await transport.deleteSubscription(withID: NotificationFilter.commandSubscriptionID(for: clientId))
            try await transport.deleteSubscription(withID: NotificationFilter.clientSubscription(for: clientId).id)
            return []
        } catch {
            return ["subscriptions (\(error.localizedDescription))"]
        }
    }

    /// Runs what is pending for this client.
    func runCommands() async {
        guard !isShutDown, let clientId = mirroredClient, let commands, commands.clientId == clientId else { return }
        if let error = await commands.runner.run() {
            report(.transportFailed, "The commands could not all be run and marked; will retry: \(error.localizedDescription)")
            // What waits is looked at again soon, as after a call that was given up.
            isInDoubt = true
        }
    }

    /// What the notification asks to look at; nil where it is not about this client.
    func scope(of notification: TelemetryNotification) async -> RefreshScope? {
        guard let clientId = settings.clientIdentifier else { return nil }
        let filter = NotificationFilter(
            clientId: clientId, commandSubscriptionID: await subscriptions.currentSubscriptionID)
        if filter.concernsClient(notification) { return .everything }
        return filter.concernsCommands(notification) ? .commands : nil
    }

    /// A notification that the host was given.
    func handle(_ notification: TelemetryNotification) async -> Bool {
        guard let scope = await scope(of: notification) else { return false }
        if hasStarted { await look(scope) } else { isNotificationKept = true }
        return true
    }

    private func makeRunner(for clientId: String) -> CommandRunner {
        CommandRunner(
            transport: transport, clientId: clientId, now: configuration.date,
            handlers: CommandRunner.Handlers(
                enable: { [weak self] _ in try await self?.viewerEnabled(clientId) },
                disable: { [weak self] command in try await self?.viewerDisabled(clientId, command: command) },
                deleteEvents: { [weak self] _ in try await self?.viewerDeletedEvents(clientId) },
                setScenario: { [weak self] _, name, isEnabled in
                    try await self?.viewerSwitched(name, isEnabled: isEnabled, of: clientId)
                }))
    }

    private func viewerEnabled(_ clientId: String) async throws {
        try require(clientId)
        // The record first: a client that sends while its record says that it may not would be disabled by the next reconciliation.
        state.clientRecord = try await registration.enable(clientId)
        await setSending(true, of: clientId)
        guard settings.telemetrySendingEnabled else { return }
        state.reconciliation = .localAndServerEnabled
        state.show(.enabled, nil)
    }

    private func viewerDisabled(_ clientId: String, command: TelemetryRecord.ID) async throws {
        try require(clientId)
        await disable(clientId, reason: .serverDisabledLocalEnabled, command: command)
    }

    private func viewerDeletedEvents(_ clientId: String) async throws {
        try require(clientId)
        try await deleteEvents(of: clientId)
    }

    private func viewerSwitched(_ name: String, isEnabled: Bool, of clientId: String) async throws {
        try require(clientId)
        try ScenarioName.check(name)
        await scenarios.set(name, isEnabled: isEnabled)
        do {
            try await mirrorScenario(name, isEnabled: isEnabled)
        } catch {
            // It holds here, which is what was asked for; the record follows.
            report(.transportFailed, "A scenario's record is not in line: \(error.localizedDescription)")
        }
    }

    /// - Throws: where the command's client is not this one any more.
    private func require(_ clientId: String) throws {
        guard settings.telemetryRequested, settings.clientIdentifier == clientId else {
            throw CommandRefused(reason: "Telemetry is off on this client.")
        }
    }
}
