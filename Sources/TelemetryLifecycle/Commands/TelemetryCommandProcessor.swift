import Foundation
import TelemetryModels
public import TelemetryTransport

/// Runs the commands that a viewer left for one client: oldest first, each once, each to an end that the viewer sees. Of several
/// for one scenario the newest alone is executed; the earlier ones end superseded. What needs more than its handlers fails with a
/// message: a level, a lease, a pause.
///
/// A command is marked after its handler has returned, so a process that dies in between runs it again: handlers must be
/// idempotent. No command runs before the outcome of every older one is recorded, so a command that runs again never follows a
/// newer one. A handler that throws makes the command failed, with the error's description as the message. A command that the
/// store refuses to mark for good (`.invalidArgument`, `.corrupted`) is removed.
public actor TelemetryCommandProcessor {
    /// Carries out `enable`; throwing marks the command failed, or leaves it pending where the error may pass.
    public typealias EnableHandler = @Sendable () async throws -> Void
    /// Carries out `disable`; throwing marks the command failed, or leaves it pending where the error may pass.
    public typealias DisableHandler = @Sendable () async throws -> Void
    /// Carries out `delete_events`; throwing marks the command failed, or leaves it pending where the error may pass.
    public typealias DeleteEventsHandler = @Sendable () async throws -> Void
    /// Gets the scenario's name.
    public typealias EnableScenarioHandler = @Sendable (String) async throws -> Void
    /// Gets the scenario's name.
    public typealias DisableScenarioHandler = @Sendable (String) async throws -> Void

    private let clientId: String
    private let runner: CommandRunner
    private var current: Task<Void, Never>?
    private var next: Task<Void, Never>?

    /// - Parameters:
    ///   - transport: Where the commands are.
    ///   - clientId: Whose commands to run.
    ///   - onEnable: The viewer approved the client.
    ///   - onDisable: The viewer turned the client off.
    ///   - onDeleteEvents: The viewer wants the client's events gone.
    ///   - onEnableScenario: The viewer turned a scenario on.
    ///   - onDisableScenario: The viewer turned a scenario off.
    public init(
        transport: any TelemetryRecordTransport, clientId: String, onEnable: @escaping EnableHandler,
        onDisable: @escaping DisableHandler, onDeleteEvents: @escaping DeleteEventsHandler,
        onEnableScenario: @escaping EnableScenarioHandler, onDisableScenario: @escaping DisableScenarioHandler
    ) {
        self.clientId = clientId
        runner = CommandRunner(
            transport: transport, clientId: clientId, now: { Date() },
            handlers: CommandRunner.Handlers(
                enable: { _ in try await onEnable() },
                disable: { _ in try await onDisable() },
                deleteEvents: { _ in try await onDeleteEvents() },
                changeScenario: { name, change in
                    switch change {
                    case .enable(nil, nil): try await onEnableScenario(name)
                    case .disable: try await onDisableScenario(name)
                    case .enable:
                        throw CommandRefused(reason: "This client does not support a level or a lease.")
                    case .reset: throw CommandRefused.unsupported(.resetScenario)
                    }
                    return nil
                },
                setPaused: { isPaused in throw CommandRefused.unsupported(isPaused ? .pause : .resume) },
                rejection: { _ in nil }))
    }

    /// Runs what is pending now. Calls that overlap do not run anything twice; each returns after everything that was pending
    /// when it was made. What cannot be fetched or marked, and everything after it, is left to the next call. Cancelling the
    /// caller does not interrupt it.
    public func processCommands() async {
        // A run that has begun may have looked already; one that has not serves everybody who asks meanwhile.
        if let next { return await next.value }
        let task = begin(after: current)
        if current == nil { current = task } else { next = task }
        await task.value
    }

    /// Runs what is pending, where the notification may be about this client's commands.
    /// - Returns: whether it may.
    public func handleRemoteNotification(_ notification: TelemetryNotification) async -> Bool {
        guard NotificationFilter(clientId: clientId).concernsCommands(notification) else { return false }
        await processCommands()
        return true
    }

    private func begin(after previous: Task<Void, Never>?) -> Task<Void, Never> {
        Task {
            await previous?.value
            await self.runNow(isSecond: previous != nil)
        }
    }

    private func runNow(isSecond: Bool) async {
        if isSecond {
            current = next
            next = nil
        }
        _ = await runner.run()
        // Whoever asked meanwhile waits for this run, and then for its own.
        if next == nil { current = nil }
    }
}
