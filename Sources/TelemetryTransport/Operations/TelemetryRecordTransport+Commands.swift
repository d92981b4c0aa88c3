public import Foundation
public import TelemetryModels

extension TelemetryRecordTransport {
    /// Stores a new command. If it has no record identifier, derives one from its `commandId`.
    /// - Throws: ``TelemetryTransportError`` with `.conflict` if the command exists, `.invalidArgument` for a client
    ///   identifier that is empty or longer than 1,024 bytes of UTF-8.
    @discardableResult
    public func createCommand(_ command: TelemetryCommandRecord) async throws -> TelemetryCommandRecord {
        try TransportArguments.check(clientId: command.clientId)
        let id = command.recordID ?? .command(command.commandId)
        let record = try command.applying(
            to: TelemetryRecord(recordType: TelemetryCommandRecord.recordType, recordID: id))
        return try await TelemetryCommandRecord(record: insert(record))
    }

    /// The stored command, or nil if there is none.
    /// - Throws: ``TelemetryModels/TelemetryRecordError`` if the record cannot be read as a command.
    public func fetchCommand(recordID: TelemetryRecord.ID) async throws -> TelemetryCommandRecord? {
        try await record(withID: recordID).map { try TelemetryCommandRecord(record: $0) }
    }

    /// The client's pending commands, oldest first. Records that cannot be read as commands are left out; the command
    /// processor, which handles those too, reads the records directly.
    public func fetchPendingCommands(for clientId: String) async throws -> [TelemetryCommandRecord] {
        try TransportArguments.check(clientId: clientId)
        return try await records(matching: .pendingCommands(of: clientId)).compactMap { try? TelemetryCommandRecord(record: $0) }
    }

    /// Returns the commands of one client or of all, with one status or any, oldest first. Records that cannot be read as
    /// commands are skipped.
    public func fetchCommands(
        for clientId: String? = nil, status: TelemetrySchema.CommandStatus? = nil
    ) async throws -> [TelemetryCommandRecord] {
        typealias Field = TelemetrySchema.CommandField
        var query = TelemetryRecordQuery(
            recordType: TelemetryCommandRecord.recordType, sortField: Field.created.rawValue)
        if let clientId {
            try TransportArguments.check(clientId: clientId)
            query.conditions[Field.clientId.rawValue] = .string(clientId)
        }
        if let status { query.conditions[Field.status.rawValue] = .string(status.rawValue) }
        return try await records(matching: query).compactMap { try? TelemetryCommandRecord(record: $0) }
    }

    /// Changes the outcome of a command; nil leaves a field unchanged.
    /// - Throws: ``TelemetryTransportError`` with `.notFound` if there is no such command.
    @discardableResult
    public func updateCommandStatus(
        recordID: TelemetryRecord.ID, status: TelemetrySchema.CommandStatus, executedAt: Date? = nil,
        errorMessage: String? = nil
    ) async throws -> TelemetryCommandRecord {
        let record = try await modify(recordID) { stored in
            var command = try TelemetryCommandRecord(record: stored)
            command.status = status
            command.executedAt = executedAt ?? command.executedAt
            command.errorMessage = errorMessage ?? command.errorMessage
            return try command.applying(to: stored)
        }
        return try TelemetryCommandRecord(record: record)
    }

    /// Removes a command; a missing command is not an error.
    public func deleteCommand(recordID: TelemetryRecord.ID) async throws {
        try await deleteRecords(withIDs: [recordID])
    }

    /// Removes every command of the client, regardless of its status, and returns their number.
    @discardableResult
    public func deleteAllCommands(for clientId: String) async throws -> Int {
        try await deleteRecords(ofType: TelemetryCommandRecord.recordType, forClient: clientId)
    }
}

extension TelemetryRecordQuery {
    /// The client's pending commands, oldest first.
    package static func pendingCommands(of clientId: String) -> Self { commands(of: clientId, .pending) }

    /// The client's executed commands, oldest first.
    package static func executedCommands(of clientId: String) -> Self { commands(of: clientId, .executed) }

    private static func commands(of clientId: String, _ status: TelemetrySchema.CommandStatus) -> Self {
        typealias Field = TelemetrySchema.CommandField
        return Self(
            recordType: TelemetryCommandRecord.recordType,
            conditions: [Field.clientId.rawValue: .string(clientId), Field.status.rawValue: .string(status.rawValue)],
            sortField: Field.created.rawValue)
    }
}
