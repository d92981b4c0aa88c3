package import Foundation
package import TelemetryModels
public import TelemetryTransport

/// Runs the commands that a viewer left for one client: oldest first, each once, each to an end that the viewer sees.
///
/// A command is marked after its handler has returned, so a process that dies in between runs it again: handlers must be
/// idempotent. No command runs before the end of every older one is recorded, so a command that runs again never follows a
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

    /// The command whose handler is running; a handler that deletes commands spares this one.
    @TaskLocal package static var runningCommand: TelemetryRecord.ID?

    private let transport: any TelemetryRecordTransport
    private let clientId: String
    private let onEnable: EnableHandler
    private let onDisable: DisableHandler
    private let onDeleteEvents: DeleteEventsHandler
    private let onEnableScenario: EnableScenarioHandler
    private let onDisableScenario: DisableScenarioHandler
    private let now: @Sendable () -> Date
    private let executor: (any TaskExecutor)?
    /// Ends that the store does not know yet: these commands are not run again, only told.
    private var untold: [TelemetryRecord.ID: CommandEnd] = [:]
    private var current: Task<(any Error)?, Never>?
    private var next: Task<(any Error)?, Never>?

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
        self.init(
            transport: transport, clientId: clientId, now: { Date() }, executor: nil, onEnable: onEnable,
            onDisable: onDisable, onDeleteEvents: onDeleteEvents, onEnableScenario: onEnableScenario,
            onDisableScenario: onDisableScenario)
    }

    package init(
        transport: any TelemetryRecordTransport, clientId: String, now: @escaping @Sendable () -> Date,
        executor: (any TaskExecutor)?, onEnable: @escaping EnableHandler, onDisable: @escaping DisableHandler,
        onDeleteEvents: @escaping DeleteEventsHandler, onEnableScenario: @escaping EnableScenarioHandler,
        onDisableScenario: @escaping DisableScenarioHandler
    ) {
        self.transport = transport
        self.clientId = clientId
        self.now = now
        self.executor = executor
        self.onEnable = onEnable
        self.onDisable = onDisable
        self.onDeleteEvents = onDeleteEvents
        self.onEnableScenario = onEnableScenario
        self.onDisableScenario = onDisableScenario
    }

    /// Runs what is pending now. Calls that overlap do not run anything twice; each returns after everything that was pending
    /// when it was made. What cannot be fetched or marked, and everything after it, is left to the next call. The caller's cancellation does not end it.
    public func processCommands() async { _ = await run() }

    /// Runs what is pending, where the notification may be about this client's commands.
    /// - Returns: whether it may.
    public func handleRemoteNotification(_ notification: TelemetryNotification) async -> Bool {
        let own = NotificationFilter(clientId: clientId)
        guard own.concernsCommands(notification) else { return false }
        await processCommands()
        return true
    }

    /// As ``processCommands()``.
    /// - Returns: what kept commands from being fetched or told, if anything did.
    func run() async -> (any Error)? {
        // A run that has begun may have looked already; one that has not serves everybody who asks meanwhile.
        if let next { return await next.value }
        guard let current else {
            let task = begin(after: nil)
            self.current = task
            return await task.value
        }
        let task = begin(after: current)
        next = task
        return await task.value
    }

    private func begin(after previous: Task<(any Error)?, Never>?) -> Task<(any Error)?, Never> {
        Task(executorPreference: executor) {
            _ = await previous?.value
            return await self.runNow(isSecond: previous != nil)
        }
    }

    private func runNow(isSecond: Bool) async -> (any Error)? {
        if isSecond {
            current = next
            next = nil
        }
        let error = await processPending()
        // Whoever asked meanwhile waits for this run, and then for its own.
        if next == nil { current = nil }
        return error
    }

    private func processPending() async -> (any Error)? {
        var firstError: (any Error)?
        do {
            let records = try await transport.records(matching: .pendingCommands(of: clientId))
            for command in PendingCommand.queue(of: records, clientId: clientId) {
                do {
                    try await process(command.id)
                } catch let error as TelemetryTransportError where error.isPermanent {
                    // Its end can never be recorded. Removed, it cannot run again after the later ones.
                    firstError = firstError ?? error
                    // One that cannot be removed either must not run again.
                    if try await transport.deleteRecords(withIDs: [command.id]) > 0 { untold[command.id] = nil }
                }
            }
            return firstError
        } catch {
            // Later commands wait: one whose end is not recorded may run again, and must not run after them.
            return error
        }
    }

    private func process(_ id: TelemetryRecord.ID) async throws {
        if let end = untold[id] { return try await tell(end, of: id) }
        // Read again: an earlier command, another process or the viewer may have ended or removed it meanwhile.
        guard let record = try await transport.record(withID: id),
            let command = PendingCommand(record, clientId: clientId)
        else { return }
        let end: CommandEnd
        do {
            try await Self.$runningCommand.withValue(id) { try await perform(command.work) }
            end = .executed(now())
        } catch {
            // Where the store cannot even be told of the failure, nothing is decided: the command is run again later.
            return try await CommandEnd.failed(error.inWords).write(to: id, through: transport)
        }
        untold[id] = end
        try await tell(end, of: id)
    }

    private func tell(_ end: CommandEnd, of id: TelemetryRecord.ID) async throws {
        try await end.write(to: id, through: transport)
        untold[id] = nil
    }

    private func perform(_ work: PendingCommand.Work) async throws {
        switch work {
        case .enable: try await onEnable()
        case .disable: try await onDisable()
        case .deleteEvents: try await onDeleteEvents()
        case .enableScenario(let name): try await onEnableScenario(name)
        case .disableScenario(let name): try await onDisableScenario(name)
        case .refuse(let reason): throw CommandRefused(reason: reason)
        }
    }
}

extension TelemetryTransportError {
    /// Whether the same call can never succeed, whatever happens at the store. Every other failure may pass: a full store gets
    /// room, a permission is granted.
    fileprivate var isPermanent: Bool { code == .invalidArgument || code == .corrupted }
}

/// Why a command was not run, as the viewer reads it.
struct CommandRefused: LocalizedError {
    let reason: String
    var errorDescription: String? { reason }
}
