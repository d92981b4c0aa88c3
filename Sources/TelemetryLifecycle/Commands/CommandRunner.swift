import Foundation
import TelemetryModels
import TelemetryTransport

/// Runs the commands that are pending for one client: oldest first, each once, each to an outcome that the viewer sees.
///
/// Runs must not overlap: the service's operations follow one another, and ``TelemetryCommandProcessor`` sees to it for others.
actor CommandRunner {
    /// What carries out the commands. Each gets the command's identifier: a handler that deletes commands keeps this one.
    struct Handlers: Sendable {
        let enable: @Sendable (_ command: TelemetryRecord.ID) async throws -> Void
        let disable: @Sendable (_ command: TelemetryRecord.ID) async throws -> Void
        let deleteEvents: @Sendable (_ command: TelemetryRecord.ID) async throws -> Void
        let setScenario: @Sendable (_ command: TelemetryRecord.ID, _ name: String, _ isEnabled: Bool) async throws -> Void
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
            for command in PendingCommand.queue(of: records, clientId: clientId) {
                do {
                    try await process(command.id)
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

    private func process(_ id: TelemetryRecord.ID) async throws {
        if let outcome = unrecorded[id] {
            try await outcome.write(to: id, through: transport)
            unrecorded[id] = nil
            return
        }
        // Not as the query returned it: an earlier command, another process or the viewer may have ended or removed it since.
        guard let record = try await transport.record(withID: id),
            let command = PendingCommand(record, clientId: clientId)
        else { return }
        let outcome: CommandOutcome
        do {
            try await perform(command)
            outcome = .executed(now())
        } catch {
            // Where the failure cannot even be recorded, nothing is decided: the command is run again later.
            return try await CommandOutcome.failed(error.localizedDescription).write(over: record, through: transport)
        }
        unrecorded[id] = outcome
        try await outcome.write(over: record, through: transport)
        unrecorded[id] = nil
    }

    private func perform(_ command: PendingCommand) async throws {
        switch command.work {
        case .enable: try await handlers.enable(command.id)
        case .disable: try await handlers.disable(command.id)
        case .deleteEvents: try await handlers.deleteEvents(command.id)
        case .enableScenario(let name): try await handlers.setScenario(command.id, name, true)
        case .disableScenario(let name): try await handlers.setScenario(command.id, name, false)
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
