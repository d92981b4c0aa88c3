import Foundation
import TelemetryModels
import TelemetryTransport

/// Runs the commands that are pending for one client: oldest first, each once, each to an outcome that the viewer sees. Of several
/// that decide on one scenario, or on the pause, the newest alone is executed.
///
/// Runs must not overlap: the service's operations follow one another, and ``TelemetryCommandProcessor`` sees to it for others.
actor CommandRunner {
    /// What carries out the commands. Each gets the command's identifier: a handler that deletes commands keeps this one.
    struct Handlers: Sendable {
        let enable: @Sendable (_ command: TelemetryRecord.ID) async throws -> Void
        let disable: @Sendable (_ command: TelemetryRecord.ID) async throws -> Void
        let deleteEvents: @Sendable (_ command: TelemetryRecord.ID) async throws -> Void
        /// Returns what the viewer is to know beyond the status, if anything.
        let changeScenario: @Sendable (_ name: String, _ change: PendingCommand.ScenarioChange) async throws -> String?
        let setPaused: @Sendable (_ isPaused: Bool) async throws -> Void
        /// Why a command is not allowed here; nil where it is.
        let rejection: @Sendable (_ work: PendingCommand.Work) async -> String?
    }

    private let transport: any TelemetryRecordTransport
    private let clientId: String
    private let now: @Sendable () -> Date
    private let handlers: Handlers
    /// Outcomes that the store does not know yet: these commands are not run again, only marked.
    private var unrecorded: [TelemetryRecord.ID: CommandOutcome] = [:]

    init(
        transport: any TelemetryRecordTransport, clientId: String, now: @escaping @Sendable () -> Date, handlers: Handlers
    ) {
        self.transport = transport
        self.clientId = clientId
        self.now = now
        self.handlers = handlers
    }

    /// Runs what is pending.
    /// - Returns: what kept commands from being fetched or marked, if anything did.
    func run() async -> (any Error)? {
        var firstError: (any Error)?
        do {
            let records = try await transport.records(matching: .pendingCommands(of: clientId))
            let queue = PendingCommand.queue(of: records, clientId: clientId)
            let superseded = await superseded(of: queue)
            for command in queue {
                do {
                    try await process(command.id, isSuperseded: superseded.contains(command.id))
                } catch let error as TelemetryTransportError where error.isPermanent {
                    // Its outcome can never be recorded. Removed, it cannot run again after the later ones.
                    firstError = firstError ?? error
                    // One that cannot be removed either must not run again.
                    if try await transport.deleteRecords(withIDs: [command.id]) > 0 { unrecorded[command.id] = nil }
                }
            }
            return firstError
        } catch {
            // Later commands wait: one whose outcome is not recorded may run again, and must not run after them.
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

    private func process(_ id: TelemetryRecord.ID, isSuperseded: Bool) async throws {
        if let outcome = unrecorded[id] {
            try await outcome.write(to: id, through: transport)
            unrecorded[id] = nil
            return
        }
        // Not as the query returned it: an earlier command, another process or the viewer may have ended or removed it since.
        guard let record = try await transport.record(withID: id),
            let command = PendingCommand(record, clientId: clientId)
        else { return }
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
            // Where the failure cannot even be recorded, nothing is decided: the command is run again later.
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
        case .pause: try await handlers.setPaused(true)
        case .resume: try await handlers.setPaused(false)
        case .refuse(let reason): throw CommandRefused(reason: reason)
        }
        return nil
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

    /// What this client does not know how to do.
    static func unsupported(_ action: TelemetrySchema.CommandAction) -> Self {
        Self(reason: "This client does not support the command \"\(action.rawValue)\".")
    }
}
