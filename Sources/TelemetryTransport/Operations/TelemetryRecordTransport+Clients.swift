public import Foundation
public import TelemetryModels

extension TelemetryRecordTransport {
    /// Stores a new client.
    /// - Throws: ``TelemetryTransportError`` with `.conflict` if the client exists, `.invalidArgument` for an identifier
    ///   that is empty or longer than 1,024 bytes of UTF-8.
    @discardableResult
    public func createTelemetryClient(
        clientId: String, created: Date = .now, isEnabled: Bool
    ) async throws -> TelemetryClientRecord {
        try await createTelemetryClient(TelemetryClientRecord(clientId: clientId, created: created, isEnabled: isEnabled))
    }

    /// Stores a new client. If it has no record identifier, derives one from its client identifier.
    /// - Throws: The errors of ``createTelemetryClient(clientId:created:isEnabled:)``.
    @discardableResult
    public func createTelemetryClient(_ telemetryClient: TelemetryClientRecord) async throws -> TelemetryClientRecord {
        try TransportArguments.check(clientId: telemetryClient.clientId)
        let id = telemetryClient.recordID ?? .client(telemetryClient.clientId)
        let record = try telemetryClient.applying(
            to: TelemetryRecord(recordType: TelemetryClientRecord.recordType, recordID: id))
        return try await TelemetryClientRecord(record: insert(record))
    }

    /// Changes the given fields of a stored client; nil leaves a field unchanged.
    /// - Throws: ``TelemetryTransportError`` with `.notFound` if there is no such client.
    @discardableResult
    public func updateTelemetryClient(
        recordID: TelemetryRecord.ID, clientId: String? = nil, created: Date? = nil, isEnabled: Bool? = nil
    ) async throws -> TelemetryClientRecord {
        if let clientId { try TransportArguments.check(clientId: clientId) }
        let record = try await modify(recordID) { stored in
            var client = try TelemetryClientRecord(record: stored)
            client.clientId = clientId ?? client.clientId
            client.created = created ?? client.created
            client.isEnabled = isEnabled ?? client.isEnabled
            return try client.applying(to: stored)
        }
        return try TelemetryClientRecord(record: record)
    }

    /// Stores every field of a client that was read before.
    /// - Throws: ``TelemetryModels/TelemetryRecordError/missingRecordID`` for a client without a record identifier, and the
    ///   errors of ``updateTelemetryClient(recordID:clientId:created:isEnabled:)``.
    @discardableResult
    public func updateTelemetryClient(_ telemetryClient: TelemetryClientRecord) async throws -> TelemetryClientRecord {
        guard let id = telemetryClient.recordID else { throw TelemetryRecordError.missingRecordID }
        try TransportArguments.check(clientId: telemetryClient.clientId)
        return try await TelemetryClientRecord(record: modify(id) { try telemetryClient.applying(to: $0) })
    }

    /// Removes a client's record; a missing record is not an error.
    public func deleteTelemetryClient(recordID: TelemetryRecord.ID) async throws {
        try await deleteRecords(withIDs: [recordID])
    }

    /// Returns the stored clients, newest first. Records that cannot be read as clients are skipped.
    public func fetchTelemetryClients(
        clientId: String? = nil, isEnabled: Bool? = nil
    ) async throws -> [TelemetryClientRecord] {
        if let clientId { try TransportArguments.check(clientId: clientId) }
        typealias Field = TelemetrySchema.ClientField
        var conditions: [String: TelemetryValue] = [:]
        conditions[Field.clientId.rawValue] = clientId.map(TelemetryValue.string)
        conditions[Field.isEnabled.rawValue] = isEnabled.map(TelemetryValue.bool)
        let query = TelemetryRecordQuery(
            recordType: TelemetryClientRecord.recordType, conditions: conditions, sortField: Field.created.rawValue,
            ascending: false)
        return try await records(matching: query).compactMap { try? TelemetryClientRecord(record: $0) }
    }
}
