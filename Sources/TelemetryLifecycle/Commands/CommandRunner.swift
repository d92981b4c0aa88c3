import Foundation
import TelemetryModels
import TelemetryTransport

/// Runs the pending commands of one client: oldest first, each once, each to an outcome that the viewer sees. Of several commands
/// for one scenario, or for the pause, only the newest is executed.
///
/// Runs must not overlap: the service's operations are serialized, and ``TelemetryCommandProcessor`` serializes its own runs.
actor CommandRunner {
    /// Returns why commands are not allowed on this client; those that are allowed have no entry.
    typealias Judgement = @Sendable (_ commands: [PendingCommand]) async -> [TelemetryRecord.ID: String]
    /// Executes a command. Returns details of the outcome, as text for the viewer; nil for none.
    typealias Execution = @Sendable (_ command: PendingCommand) async throws -> String?

    private let transport: any TelemetryRecordTransport
    private let clientId: String
    private let hasCurrentQueries: Bool
    private let now: @Sendable () -> Date
    private let judge: Judgement
    private let execute: Execution
    private let onExecuted: (@Sendable (_ commands: [TelemetryRecord]) async -> Void)?
    private var hasReadExecuted = false
    /// Outcomes that are not stored yet. These commands are not run again; only their outcomes are stored.
    private var unrecorded: [TelemetryRecord.ID: CommandOutcome] = [:]

    /// - Parameter hasCurrentQueries: Whether the transport's queries reflect every change at once, so that a record need not be
    ///   read again after a query returned it.
    /// - Parameter onExecuted: Called with the executed commands: each one after it was executed, and once those that the store has. If
    ///   nil, only pending commands are read.
    init(
        transport: any TelemetryRecordTransport, clientId: String, hasCurrentQueries: Bool, now: @escaping @Sendable () -> Date,
        judge: @escaping Judgement, execute: @escaping Execution,
        onExecuted: (@Sendable (_ commands: [TelemetryRecord]) async -> Void)? = nil
    ) {
        self.transport = transport
        self.clientId = clientId
        self.hasCurrentQueries = hasCurrentQueries
        self.now = now
        self.judge = judge
        self.execute = execute
        self.onExecuted = onExecuted
    }

    /// Runs the pending commands.
    /// - Returns: The error that prevented commands from being fetched or marked; nil if there was none.
    func run() async -> (any Error)? {
        var firstError: (any Error)?
        do {
            let records = try await transport.records(matching: .pendingCommands(of: clientId))
            let queue = PendingCommand.queue(of: records, clientId: clientId)
            // All are judged before the first is executed, and each only once.
            let rejections = await judge(queue)
            let superseded = PendingCommand.superseded(of: queue, at: now()) { rejections[$0.id] == nil }
            for (index, command) in queue.enumerated() {
                // The first command was just read. The others are read again, because running a command takes time.
                let current = index == 0 && hasCurrentQueries ? records.first { $0.recordID == command.id } : nil
                do {
                    try await process(
                        command, current, isSuperseded: superseded.contains(command.id), rejection: rejections[command.id])
                } catch let error as TelemetryTransportError where error.isPermanent {
                    // The outcome can never be recorded. The command is removed, so that it cannot run again after later ones.
                    firstError = firstError ?? error
                    // If it cannot be removed either, it must not run again.
                    if try await transport.deleteRecords(withIDs: [command.id]) > 0 { unrecorded[command.id] = nil }
                }
            }
            await readExecuted()
            return firstError
        } catch {
            // Later commands wait: a command whose outcome is not recorded may run again and must not run after them.
            return error
        }
    }

    /// Reads the executed commands once, after the pending ones: they may be many, and must not delay or prevent what a viewer waits for.
    private func readExecuted() async {
        guard let onExecuted, !hasReadExecuted else { return }
        guard let records = try? await transport.records(matching: .executedCommands(of: clientId)) else { return }
        hasReadExecuted = true
        await onExecuted(records)
    }

    /// - Parameters:
    ///   - command: The command as it was judged.
    ///   - current: The command's record if it was just read; nil to read it.
    private func process(
        _ command: PendingCommand, _ current: TelemetryRecord?, isSuperseded: Bool, rejection: String?
    ) async throws {
        let id = command.id
        if let outcome = unrecorded[id] {
            try await outcome.write(to: id, through: transport)
            unrecorded[id] = nil
            return
        }
        // Read again, because an earlier command, another process or the viewer may have ended or removed it since the query.
        var record = current
        if record == nil { record = try await transport.record(withID: id) }
        guard let record, PendingCommand(record, clientId: clientId) != nil else { return }
        if command.hasExpired(at: now()) { return try await CommandOutcome.expired.write(over: record, through: transport) }
        if isSuperseded { return try await CommandOutcome.superseded.write(over: record, through: transport) }
        if let rejection { return try await CommandOutcome.rejected(rejection).write(over: record, through: transport) }
        let outcome: CommandOutcome
        do {
            let result = try await execute(command)
            outcome = .executed(now(), result: result)
        } catch {
            // If the failure cannot be recorded, the command is run again later.
            return try await CommandOutcome.failed(error.localizedDescription).write(over: record, through: transport)
        }
        unrecorded[id] = outcome
        if let executed = outcome.applied(to: record) { await onExecuted?([executed]) }
        try await outcome.write(over: record, through: transport)
        unrecorded[id] = nil
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
