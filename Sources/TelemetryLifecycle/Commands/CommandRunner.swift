import Foundation
import TelemetryModels
import TelemetryTransport

/// Runs the pending commands of one client: oldest first, each once, each to an outcome that the viewer sees. Of several commands
/// for one scenario, or for the pause, only the newest is executed.
///
/// Runs must not overlap: the service's operations are serialized, and ``TelemetryCommandProcessor`` serializes its own runs.
actor CommandRunner {
    /// The handlers that execute commands. They get the command's identifier, so that a handler that deletes commands can keep
    /// this one.
    struct Handlers: Sendable {
        let enable: @Sendable (_ command: TelemetryRecord.ID) async throws -> Void
        let disable: @Sendable (_ command: TelemetryRecord.ID) async throws -> Void
        let deleteEvents: @Sendable (_ command: TelemetryRecord.ID) async throws -> Void
        /// Returns details of the outcome for the viewer; nil for none.
        let changeScenario: @Sendable (_ name: String, _ change: PendingCommand.ScenarioChange) async throws -> String?
        /// Returns details of the outcome for the viewer.
        let captureScenario: @Sendable (_ name: String, _ lookback: TimeInterval?) async throws -> String?
        let setPaused: @Sendable (_ isPaused: Bool) async throws -> Void
        /// Returns why a command is not allowed on this client; nil if it is allowed.
        let rejection: @Sendable (_ work: PendingCommand.Work) async -> String?
    }

    private let transport: any TelemetryRecordTransport
    private let clientId: String
    private let hasCurrentQueries: Bool
    private let now: @Sendable () -> Date
    private let handlers: Handlers
    /// Outcomes that are not stored yet. These commands are not run again; only their outcomes are stored.
    private var unrecorded: [TelemetryRecord.ID: CommandOutcome] = [:]

    /// - Parameter hasCurrentQueries: Whether the transport's queries reflect every change at once, so that a record need not be
    ///   read again after a query returned it.
    init(
        transport: any TelemetryRecordTransport, clientId: String, hasCurrentQueries: Bool, now: @escaping @Sendable () -> Date,
        handlers: Handlers
    ) {
        self.transport = transport
        self.clientId = clientId
        self.hasCurrentQueries = hasCurrentQueries
        self.now = now
        self.handlers = handlers
    }

    /// Runs the pending commands.
    /// - Returns: The error that prevented commands from being fetched or marked; nil if there was none.
    func run() async -> (any Error)? {
        var firstError: (any Error)?
        do {
            let records = try await transport.records(matching: .pendingCommands(of: clientId))
            let queue = PendingCommand.queue(of: records, clientId: clientId)
            let superseded = await superseded(of: queue)
            for (index, command) in queue.enumerated() {
                // The first command was just read. The others are read again, because running a command takes time.
                let current = index == 0 && hasCurrentQueries ? records.first { $0.recordID == command.id } : nil
                do {
                    try await process(command.id, current, isSuperseded: superseded.contains(command.id))
                } catch let error as TelemetryTransportError where error.isPermanent {
                    // The outcome can never be recorded. The command is removed, so that it cannot run again after later ones.
                    firstError = firstError ?? error
                    // If it cannot be removed either, it must not run again.
                    if try await transport.deleteRecords(withIDs: [command.id]) > 0 { unrecorded[command.id] = nil }
                }
            }
            return firstError
        } catch {
            // Later commands wait: a command whose outcome is not recorded may run again and must not run after them.
            return error
        }
    }

    private func superseded(of queue: [PendingCommand]) async -> Set<TelemetryRecord.ID> {
        var rejected: Set<TelemetryRecord.ID> = []
        for command in queue {
            if await handlers.rejection(command.work) != nil { rejected.insert(command.id) }
        }
        return PendingCommand.superseded(of: queue, at: now()) { !rejected.contains($0.id) }
    }

    /// - Parameter current: The command's record if it was just read; nil to read it.
    private func process(_ id: TelemetryRecord.ID, _ current: TelemetryRecord?, isSuperseded: Bool) async throws {
        if let outcome = unrecorded[id] {
            try await outcome.write(to: id, through: transport)
            unrecorded[id] = nil
            return
        }
        // Read again, because an earlier command, another process or the viewer may have ended or removed it since the query.
        var record = current
        if record == nil { record = try await transport.record(withID: id) }
        guard let record, let command = PendingCommand(record, clientId: clientId) else { return }
        if command.hasExpired(at: now()) { return try await CommandOutcome.expired.write(over: record, through: transport) }
        if isSuperseded { return try await CommandOutcome.superseded.write(over: record, through: transport) }
        if let reason = await handlers.rejection(command.work) {
            return try await CommandOutcome.rejected(reason).write(over: record, through: transport)
        }
        let outcome: CommandOutcome
        do {
            let result = try await perform(command)
            outcome = .executed(now(), result: result)
        } catch {
            // If the failure cannot be recorded, the command is run again later.
            return try await CommandOutcome.failed(error.localizedDescription).write(over: record, through: transport)
        }
        unrecorded[id] = outcome
        try await outcome.write(over: record, through: transport)
        unrecorded[id] = nil
    }

    private func perform(_ command: PendingCommand) async throws -> String? {
        switch command.work {
        case .enable: try await handlers.enable(command.id)
        case .disable: try await handlers.disable(command.id)
        case .deleteEvents: try await handlers.deleteEvents(command.id)
        case .scenario(let name, let change): return try await handlers.changeScenario(name, change)
        case .capture(let name, let lookback): return try await handlers.captureScenario(name, lookback)
        case .pause: try await handlers.setPaused(true)
        case .resume: try await handlers.setPaused(false)
        case .refuse(let reason): throw CommandRefused(reason: reason)
        }
        return nil
    }
}

extension TelemetryTransportError {
    /// Whether the same call can never succeed. Every other failure may be temporary: a full store, a missing permission.
    fileprivate var isPermanent: Bool { code == .invalidArgument || code == .corrupted }
}

/// The reason why a command was not run, as text for the viewer.
struct CommandRefused: LocalizedError {
    let reason: String
    var errorDescription: String? { reason }

    /// An action that this client does not support.
    static func unsupported(_ action: TelemetrySchema.CommandAction) -> Self {
        Self(reason: "This client does not support the command \"\(action.rawValue)\".")
    }
}
