import Foundation
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

/// Receives and executes the viewer's commands.
@MainActor
final class CommandController {
    /// Called when receiving commands starts and stops.
    var onProcessing: (@MainActor (Bool) -> Void)?
    /// Disables the client. Set once the synchronizer exists.
    var disable: @MainActor (_ clientId: String, _ command: TelemetryRecord.ID) async -> Void = { _, _ in }

    private let consent: ConsentController
    private let scenarios: ScenarioController
    private let context: LifecycleContext
    private let subscriptions: any TelemetrySubscriptionManaging
    /// The current client and the runner of its commands.
    private var current: (clientId: String, runner: CommandRunner)?

    init(
        consent: ConsentController, scenarios: ScenarioController, context: LifecycleContext,
        subscriptions: any TelemetrySubscriptionManaging
    ) {
        self.consent = consent
        self.scenarios = scenarios
        self.context = context
        self.subscriptions = subscriptions
    }

    /// Whether commands of a client are received.
    var isReceiving: Bool { current != nil }

    /// Starts receiving commands for the client. Does nothing that is already done.
    /// - Parameter canReachStore: Whether the store is reachable, so that subscribing can succeed.
    func setUp(for clientId: String, canReachStore: Bool = true) async {
        if current?.clientId != clientId { current = (clientId, makeRunner(for: clientId)) }
        if canReachStore, consent.mirroredClient != nil { await subscribe(clientId) }
        setProcessing(true)
    }

    /// Stops receiving commands.
    /// - Returns: Descriptions of the failures.
    func tearDown() async -> [String] {
        current = nil
        setProcessing(false)
        let subscriptions = subscriptions
        do {
            try await context.calls.call { try await subscriptions.unregisterSubscription() }
            return []
        } catch {
            return ["subscription (\(error.localizedDescription))"]
        }
    }

    private func setProcessing(_ isProcessing: Bool) {
        guard context.state.isProcessingCommands != isProcessing else { return }
        context.state.isProcessingCommands = isProcessing
        onProcessing?(isProcessing)
    }

    private func subscribe(_ clientId: String) async {
        let subscriptions = subscriptions
        do {
            try await context.calls.call { try await subscriptions.registerSubscription(for: clientId) }
            try await context.transport.subscribe(NotificationFilter.clientSubscription(for: clientId))
            try await context.transport.subscribe(NotificationFilter.ruleSubscription)
        } catch {
            context.report(.transportFailed, "Subscription failed; polling instead: \(error.localizedDescription)")
        }
    }

    /// Ends the subscriptions of a client that no longer exists, including those of an earlier run of the app.
    /// - Returns: Descriptions of the failures.
    func unsubscribe(_ clientId: String) async -> [String] {
        do {
            try await context.transport.deleteSubscription(withID: NotificationFilter.commandSubscriptionID(for: clientId))
            try await context.transport.deleteSubscription(withID: NotificationFilter.clientSubscription(for: clientId).id)
            return []
        } catch {
            return ["subscriptions (\(error.localizedDescription))"]
        }
    }

    /// Runs this client's pending commands.
    func run() async {
        guard !context.state.isShutDown, let clientId = consent.mirroredClient, let current, current.clientId == clientId
        else { return }
        if let error = await current.runner.run() {
            context.report(
                .transportFailed,
                "The commands could not all be run and marked; will retry: \(error.localizedDescription)")
            // The pending commands are retried soon, as after an abandoned call.
            context.state.needsRetry = true
        }
    }

    /// Returns what the notification requires to refresh; nil if it does not concern this client.
    func scope(of notification: TelemetryNotification) async -> RefreshScope? {
        guard let clientId = consent.settings.clientIdentifier else { return nil }
        let filter = NotificationFilter(
            clientId: clientId, commandSubscriptionID: await subscriptions.currentSubscriptionID)
        if filter.concernsClient(notification) { return .everything }
        if filter.concernsRules(notification) { return .rules }
        return filter.concernsCommands(notification) ? .commands : nil
    }

    // MARK: Execution

    private func makeRunner(for clientId: String) -> CommandRunner {
        CommandRunner(
            transport: context.transport, clientId: clientId, hasCurrentQueries: context.transport.consistencyDelay == .zero,
            now: context.configuration.date,
            judge: { [weak self] in await self?.judge($0) ?? [:] },
            execute: { [weak self] command in try await self?.execute(command, of: clientId) },
            onExecuted: { [state = context.state] commands in
                await state.show(
                    executed: commands.compactMap(TelemetryOverview.ViewerAction.init(executed:)), of: clientId)
            })
    }

    /// Returns why the user or the host does not allow commands.
    private func judge(_ commands: [PendingCommand]) async -> [TelemetryRecord.ID: String] {
        // The user may have forbidden a scenario or paused in another process of the app since this operation began.
        if !commands.isEmpty { await scenarios.load() }
        return commands.reduce(into: [:]) { $0[$1.id] = rejection(of: $1.work) }
    }

    private func rejection(of work: PendingCommand.Work) -> String? {
        let (registry, policy) = (scenarios.registry, context.configuration.policy)
        switch work {
        case .scenario(let name, .enable), .capture(let name, _):
            if registry.denied.contains(name) { return "The user forbids the scenario \"\(name)\"." }
            if case .capture = work { return policy.capturingRejection(of: name) }
            return policy.enablingRejection(of: name)
        case .resume where registry.pause.contains(.byHost):
            return "The app itself paused telemetry; only the app can resume it."
        default: return nil
        }
    }

    /// - Returns: Details of the outcome, as text for the viewer; nil for none.
    private func execute(_ command: PendingCommand, of clientId: String) async throws -> String? {
        guard consent.state.stored.isCurrent(clientId) else {
            throw CommandRefused(reason: "Telemetry is off on this client.")
        }
        switch command.work {
        case .enable: try await enable(clientId)
        case .disable: await disable(clientId, command.id)
        case .deleteEvents: try await scenarios.deleteEvents(of: clientId)
        case .scenario(let name, let change): return try await scenarios.change(name, change)
        case .capture(let name, let lookback): return try await scenarios.capture(name, lookback: lookback)
        case .pause: await scenarios.changePause { $0.union(.byViewer) }
        case .resume: await scenarios.changePause { $0.subtracting(.byViewer) }
        case .refuse(let reason): throw CommandRefused(reason: reason)
        }
        return nil
    }

    private func enable(_ clientId: String) async throws {
        // The record first: the next reconciliation would disable a client that sends although its record is not enabled.
        context.state.clientRecord = try await ClientRegistration(transport: context.transport).enable(clientId)
        await consent.handle(.approved(client: clientId))
        guard consent.settings.telemetrySendingEnabled else { return }
        context.state.reconciliation = .localAndServerEnabled
        context.state.show(.enabled, nil)
        await scenarios.applyRules(mirrors: true)
    }
}
