import TelemetryModels
import TelemetryTransport

/// The client's own record in the store.
struct ClientRegistration {
    let transport: BoundedTransport

    /// The client's record, or nil if there is none.
    func find(_ clientId: String) async throws -> TelemetryClientRecord? {
        // By identifier first: an index may not contain a record that was just created.
        if let record = try await transport.record(withID: .client(clientId)),
            let client = try? TelemetryClientRecord(record: record), client.clientId == clientId
        {
            return client
        }
        return try await transport.fetchTelemetryClients(clientId: clientId).first { $0.clientId == clientId }
    }

    /// Returns the client's record; creates it, not enabled, if there is none. A record that another process creates at the same
    /// time is returned unchanged.
    func findOrCreate(
        _ clientId: String, _ presence: ClientPresence
    ) async throws -> (client: TelemetryClientRecord, isNew: Bool) {
        if let found = try await find(clientId) { return (found, false) }
        do {
            return (try await create(clientId, presence), true)
        } catch let error as TelemetryTransportError where error.code == .conflict {
            if let found = try await find(clientId) { return (found, false) }
            throw error
        }
    }

    private func create(_ clientId: String, _ presence: ClientPresence) async throws -> TelemetryClientRecord {
        var client = TelemetryClientRecord(clientId: clientId, created: presence.lastSeen, isEnabled: false)
        presence.write(to: &client)
        return try await transport.createTelemetryClient(client)
    }

    /// Marks the client's record as enabled.
    /// - Throws: `.notFound` if the client has no record.
    func enable(_ clientId: String) async throws -> TelemetryClientRecord {
        guard let found = try await find(clientId), let id = found.recordID else {
            throw TelemetryTransportError(code: .notFound, message: "The client has no record to enable.")
        }
        return found.isEnabled ? found : try await transport.updateTelemetryClient(recordID: id, isEnabled: true)
    }
}
