public import TelemetryModels
public import TelemetryTransport

/// Sends commands to clients, and waits for all results together.
public struct CommandSender: Sendable {
    /// The result of one command.
    public enum Outcome: Sendable, Equatable {
        case executed(TelemetryCommandRecord)
        /// The client did not execute the command; its status and message say why.
        case failed(TelemetryCommandRecord)
        /// The client has not answered yet; the command stays pending.
        case unanswered
    }

    /// What became of the commands.
    public struct Results: Sendable {
        public internal(set) var executed: [TelemetryCommandRecord] = []
        /// The commands that their clients did not execute; their statuses and messages say why.
        public internal(set) var failed: [TelemetryCommandRecord] = []
        /// The commands that stay pending, and those whose statuses could not be read.
        public internal(set) var unanswered: [TelemetryCommandRecord] = []
        /// The commands that were deleted from the store before their clients answered.
        public internal(set) var removed: [TelemetryCommandRecord] = []
        /// The commands that were not sent, because sending one of them failed.
        public internal(set) var unsent: [TelemetryCommandRecord] = []
        /// Why commands were not sent.
        public internal(set) var sendingError: (any Error)?
        /// Why the statuses of sent commands could not be read.
        public internal(set) var readingError: (any Error)?

        /// The commands that were sent.
        public var sent: [TelemetryCommandRecord] { executed + failed + unanswered + removed }
    }

    /// Shared by all viewers, so it is never deleted.
    private static let subscription = TelemetrySubscription(
        id: "TelemetryViewer-Commands", recordType: TelemetrySchema.commandRecordType)

    private let transport: any TelemetryRecordTransport & TelemetrySubscriptionTransport

    public init(transport: any TelemetryRecordTransport & TelemetrySubscriptionTransport) { self.transport = transport }

    /// Sends the command and waits for the client's answer for at most this long; nil does not wait.
    /// - Throws: ``TelemetryTransport/TelemetryTransportError`` if the store fails; ``ToolFailure`` if the command was
    ///   removed before it was executed; `CancellationError`.
    public func send(_ command: TelemetryCommandRecord, wait: Duration?) async throws -> Outcome {
        let results = try await send([command], wait: wait) { _ in }
        if let executed = results.executed.first { return .executed(executed) }
        if let failed = results.failed.first { return .failed(failed) }
        guard results.removed.isEmpty else {
            throw ToolFailure(.failed, "The command was removed from the store before the client answered.")
        }
        if let error = results.readingError { throw error }
        return .unanswered
    }

    /// Sends the commands and waits for the answers for at most this long; nil does not wait.
    ///
    /// After the first command was sent, errors of the store are part of the results.
    /// - Parameter progress: Called with the number of answers so far.
    /// - Throws: ``TelemetryTransport/TelemetryTransportError`` if the store fails before a command was sent;
    ///   `CancellationError`. Commands that were sent before stay pending.
    public func send(
        _ commands: [TelemetryCommandRecord], wait: Duration?, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Results {
        var results = Results()
        guard let wait else {
            results.unanswered = try await create(commands, &results)
            return results
        }
        // Subscribes before the commands are created, so that fast answers are not missed.
        _ = try await transport.save(Self.subscription)
        let notifications = transport.notifications()
        let sent = try await create(commands, &results)
        let open = Set(sent.compactMap(\.recordID))
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.waitForAnswers(to: open, notifications, progress) }
                group.addTask { try await Task.sleep(for: wait) }
                defer { group.cancelAll() }
                _ = try await group.next()
            }
        } catch {
            results.readingError = error
        }
        try Task.checkCancellation()
        do {
            results.add(sent, stored: try await current(sent))
        } catch {
            try Task.checkCancellation()
            results.readingError = error
            results.unanswered = sent
        }
        return results
    }

    /// Stores the commands until the store fails.
    /// - Returns: The stored commands; the results contain the others.
    /// - Throws: The store's error if no command was stored.
    private func create(
        _ commands: [TelemetryCommandRecord], _ results: inout Results
    ) async throws -> [TelemetryCommandRecord] {
        var sent: [TelemetryCommandRecord] = []
        do {
            for command in commands { sent.append(try await transport.createCommand(command)) }
        } catch {
            try Task.checkCancellation()
            // The command may be stored although the store's answer was lost.
            if let stored = try? await stored(commands[sent.count]) { sent.append(stored) }
            guard !sent.isEmpty else { throw error }
            results.unsent = Array(commands[sent.count...])
            if !results.unsent.isEmpty { results.sendingError = error }
        }
        return sent
    }

    /// The commands as they are stored, and possibly others.
    private func current(_ sent: [TelemetryCommandRecord]) async throws -> [TelemetryCommandRecord] {
        guard sent.count == 1, let id = sent[0].recordID else { return try await transport.fetchCommands() }
        return try await transport.fetchCommand(recordID: id).map { [$0] } ?? []
    }

    private func stored(_ command: TelemetryCommandRecord) async throws -> TelemetryCommandRecord? {
        try await transport.fetchCommands(for: command.clientId).first { $0.commandId == command.commandId }
    }

    /// Returns when none of the commands is pending.
    private func waitForAnswers(
        to commands: Set<TelemetryRecord.ID>, _ notifications: AsyncStream<TelemetryNotification>,
        _ progress: @Sendable (Int) -> Void
    ) async throws {
        var open = commands
        func update(_ asked: Set<TelemetryRecord.ID>) async throws {
            do {
                open.subtract(asked.subtracting(try await pending(of: asked)))
            } catch let error as TelemetryTransportError where error.isRetryable {
                // The relay may be restarting; a notification follows when it is reachable again.
            }
            progress(commands.count - open.count)
        }
        try await update(open)
        guard !open.isEmpty else { return }
        for await notification in notifications {
            if let id = notification.recordID, !open.contains(id) { continue }
            try await update(notification.recordID.map { [$0] } ?? open)
            if open.isEmpty { return }
        }
    }

    /// Those of the commands that are pending.
    private func pending(of commands: Set<TelemetryRecord.ID>) async throws -> Set<TelemetryRecord.ID> {
        if commands.count == 1, let id = commands.first {
            return try await transport.fetchCommand(recordID: id)?.status == .pending ? commands : []
        }
        return commands.intersection(try await transport.fetchCommands(status: .pending).compactMap(\.recordID))
    }
}

extension CommandSender.Results {
    /// Adds commands by their statuses in the store.
    fileprivate mutating func add(_ sent: [TelemetryCommandRecord], stored: [TelemetryCommandRecord]) {
        let current = Dictionary(stored.map { ($0.commandId, $0) }) { $1 }
        for command in sent {
            guard let answer = current[command.commandId] else {
                removed.append(command)
                continue
            }
            switch answer.status {
            case .pending: unanswered.append(answer)
            case .executed: executed.append(answer)
            case .failed, .rejected, .expired, .superseded: failed.append(answer)
            }
        }
    }
}
