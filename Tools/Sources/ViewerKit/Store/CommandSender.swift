public import TelemetryModels
public import TelemetryTransport

/// Sends commands to clients and waits for the results.
public struct CommandSender: Sendable {
    /// The result of a command.
    public enum Outcome: Sendable, Equatable {
        case executed(TelemetryCommandRecord)
        /// The client did not execute the command; its status and message say why.
        case failed(TelemetryCommandRecord)
        /// The client has not answered yet; the command stays pending.
        case unanswered
    }

    /// Shared by all viewers, so it is never deleted.
    static let subscription = TelemetrySubscription(
        id: "TelemetryViewer-Commands", recordType: TelemetrySchema.commandRecordType)

    private let transport: any TelemetryRecordTransport & TelemetrySubscriptionTransport

    public init(transport: any TelemetryRecordTransport & TelemetrySubscriptionTransport) { self.transport = transport }

    /// Sends the command and waits for the client's answer for at most this long; nil does not wait.
    /// - Throws: ``TelemetryTransport/TelemetryTransportError`` if the store fails; ``ToolFailure`` if the command was
    ///   removed before it was executed.
    public func send(_ command: TelemetryCommandRecord, wait: Duration?) async throws -> Outcome {
        guard let wait else {
            try await transport.createCommand(command)
            return .unanswered
        }
        // Subscribes before the command is created, so that a fast answer is not missed.
        _ = try await transport.save(Self.subscription)
        let notifications = transport.notifications()
        let created = try await transport.createCommand(command)
        guard let id = created.recordID else { throw TelemetryRecordError.missingRecordID }
        if let outcome = try await outcome(of: id) { return outcome }
        let early = try await withThrowingTaskGroup(of: Outcome?.self) { group in
            group.addTask {
                for await notification in notifications
                where notification.recordID == nil || notification.recordID == id {
                    do {
                        if let outcome = try await outcome(of: id) { return outcome }
                    } catch let error as TelemetryTransportError where error.isRetryable {
                        // The relay may be restarting; a notification follows when it is reachable again.
                    }
                }
                return nil
            }
            group.addTask {
                try await Task.sleep(for: wait)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        if let early { return early }
        try Task.checkCancellation()
        return try await outcome(of: id) ?? .unanswered
    }

    private func outcome(of id: TelemetryRecord.ID) async throws -> Outcome? {
        guard let command = try await transport.fetchCommand(recordID: id) else {
            throw ToolFailure(.failed, "The command was removed from the store before the client answered.")
        }
        switch command.status {
        case .pending: return nil
        case .executed: return .executed(command)
        case .failed, .rejected, .expired, .superseded: return .failed(command)
        }
    }
}
