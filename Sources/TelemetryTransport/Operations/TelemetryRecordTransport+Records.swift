package import TelemetryModels

/// Helpers of the operations on all record types.
extension TelemetryRecordTransport {
    /// Stores one new record.
    func insert(_ record: TelemetryRecord) async throws -> TelemetryRecord {
        try await saved(save([record], policy: .insert), for: record)
    }

    /// Reads a record, changes it and writes it back. Repeats this if another writer changed the record meanwhile.
    ///
    /// - Throws: ``TelemetryTransportError`` with `.notFound` if there is no such record, with `.conflict` if other writers
    ///   changed the record more than a thousand times meanwhile; `CancellationError`; errors of `change`.
    package func modify(
        _ id: TelemetryRecord.ID, _ change: @Sendable (TelemetryRecord) throws -> TelemetryRecord
    ) async throws -> TelemetryRecord {
        var attempts = 0
        while true {
            try Task.checkCancellation()
            guard let stored = try await record(withID: id) else { throw TelemetryTransportError.notFound(id) }
            let changed = try change(stored)
            do {
                return try await saved(save([changed], policy: .ifUnchanged), for: changed)
            } catch let error as TelemetryTransportError where error.code == .conflict && attempts < maximumRetries {
                // Each conflict is another writer's success, so that one of any number of writers always proceeds.
                attempts += 1
            }
        }
    }

    /// Removes every record of a type that has the client's identifier.
    func deleteRecords(ofType recordType: String, forClient clientId: String) async throws -> Int {
        try TransportArguments.check(clientId: clientId)
        let field = TelemetrySchema.ClientField.clientId.rawValue
        let found = try await records(matching: .init(recordType: recordType, conditions: [field: .string(clientId)]))
        return found.isEmpty ? 0 : try await deleteRecords(withIDs: found.map(\.recordID))
    }

    private var maximumRetries: Int { 1_000 }

    private func saved(_ records: [TelemetryRecord], for record: TelemetryRecord) throws -> TelemetryRecord {
        guard let saved = records.first else {
            throw TelemetryTransportError(
                code: .corrupted, message: "The store returned no result for the saved record \"\(record.recordID)\".")
        }
        return saved
    }
}
