import Foundation
import TelemetryModels
public import TelemetryTransport

/// Runs the pending commands of one client: oldest first, each once, each to an outcome that the viewer sees. Of several commands
/// for one scenario only the newest is executed; the earlier ones are marked superseded. Commands that the handlers do not
/// support fail with a message: a level, a lease, a pause.
///
/// A command is marked after its handler has returned. If the process is killed in between, the command runs again, so handlers
/// must be idempotent. A command runs only after the outcome of every older one is recorded, so a command never runs again after
/// a newer one. If a handler throws, the command is marked failed, with the error's description as the message. A command that
/// can never be marked (`.invalidArgument`, `.corrupted`) is removed.
public actor TelemetryCommandProcessor {
    /// Executes `enable`. If it throws, the command is marked failed, or stays pending if the error may be temporary.
    public typealias EnableHandler = @Sendable () async throws -> Void
    /// Executes `disable`. If it throws, the command is marked failed, or stays pending if the error may be temporary.
    public typealias DisableHandler = @Sendable () async throws -> Void
    /// Executes `delete_events`. If it throws, the command is marked failed, or stays pending if the error may be temporary.
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
    ///   - transport: The store of the commands.
    ///   - clientId: The client whose commands are run.
    ///   - onEnable: Called when the viewer approved the client.
    ///   - onDisable: Called when the viewer disabled the client.
    ///   - onDeleteEvents: Called when the viewer requested the deletion of the client's events.
    ///   - onEnableScenario: Called when the viewer turned a scenario on.
    ///   - onDisableScenario: Called when the viewer turned a scenario off.
    public init(
        transport: any TelemetryRecordTransport, clientId: String, onEnable: @escaping EnableHandler,
        onDisable: @escaping DisableHandler, onDeleteEvents: @escaping DeleteEventsHandler,
        onEnableScenario: @escaping EnableScenarioHandler, onDisableScenario: @escaping DisableScenarioHandler
    ) {
        self.clientId = clientId
        runner = CommandRunner(
            transport: transport, clientId: clientId, hasCurrentQueries: false, now: { Date() },
            judge: { _ in [:] },
            execute: { command in
                switch command.work {
                case .enable: try await onEnable()
                case .disable: try await onDisable()
                case .deleteEvents: try await onDeleteEvents()
                case .scenario(let name, .enable(nil, nil, [])): try await onEnableScenario(name)
                case .scenario(let name, .disable): try await onDisableScenario(name)
                case .scenario(_, .enable):
                    throw CommandRefused(reason: "This client does not support a level, a lease or context conditions.")
                case .scenario(_, .reset): throw CommandRefused.unsupported(.resetScenario)
                case .capture: throw CommandRefused.unsupported(.captureScenario)
                case .pause: throw CommandRefused.unsupported(.pause)
                case .resume: throw CommandRefused.unsupported(.resume)
                case .refuse(let reason): throw CommandRefused(reason: reason)
                }
                return nil
            })
    }

    /// Runs the pending commands. Overlapping calls do not run a command twice; each returns after all commands that were pending
    /// when it was made. A command that cannot be fetched or marked, and all later ones, are left to the next call. Cancelling
    /// the caller does not interrupt the run.
    public func processCommands() async {
        // A run that has started may have fetched its commands already. Calls made meanwhile share the next run.
        if let next { return await next.value }
        let task = begin(after: current)
        if current == nil { current = task } else { next = task }
        await task.value
    }

    /// Runs the pending commands if the notification may concern this client's commands.
    /// - Returns: Whether it may.
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
        // Calls made meanwhile wait for this run and then for the next one.
        if next == nil { current = nil }
    }
}
