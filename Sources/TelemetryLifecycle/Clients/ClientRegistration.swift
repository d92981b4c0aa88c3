import TelemetryModels
import TelemetryTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The client's own record at the store.
struct ClientRegistration {
    let transport: BoundedTransport
    let now: @Sendable () -> Date

    /// The client's record, or nil where there is none.
    func find(_ clientId: String) async throws -> TelemetryClientRecord? {
        // By identity first: an index may lag behind a record that was just made.
        if let record = try await transport.record(withID: .client(clientId)),
            let client = try? TelemetryClientRecord(record: record), client.clientId == clientId
        {
            return client
        }
        return try await transport.fetchTelemetryClients(clientId: clientId).first { $0.clientId == clientId }
    }

    /// The client's record, made where there is none, not enabled. One that somebody else made meanwhile is taken as it is.
    func findOrCreate(_ clientId: String) async throws -> TelemetryClientRecord {
        if let found = try await find(clientId) { return found }
        do {
            return try await transport.createTelemetryClient(clientId: clientId, created: now(), isEnabled: false)
        } catch let error as TelemetryTransportError where error.code == .conflict {
            if let found = try await find(clientId) { return found }
            throw error
        }
    }

    /// Marks the client's record as enabled.
    /// - Throws: `.notFound` where the client has none.
    func enable(_ clientId: String) async throws -> TelemetryClientRecord {
        guard let found = try await find(clientId), let id = found.recordID else {
            throw TelemetryTransportError(code: .notFound, message: "The client has no record that could be enabled.")
        }
        return found.isEnabled ? found : try await transport.updateTelemetryClient(recordID: id, isEnabled: true)
    }
}
