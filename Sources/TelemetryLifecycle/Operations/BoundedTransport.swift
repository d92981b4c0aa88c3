import TelemetryModels
import TelemetryTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The host's transport, with every call bounded by the running operation's deadline.
struct BoundedTransport: TelemetryRecordTransport {
    let base: any TelemetryTransporting
    let calls: BoundedCalls

    var consistencyDelay: Duration { base.consistencyDelay }

    /// Sets the client of the next calls, for a transport that authenticates clients.
    func setClientIdentifier(_ clientId: String?) async {
        // If the transport hangs, the next calls fail.
        try? await calls.call(.nothing) { await base.setClientIdentifier(clientId) }
    }

    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        try await calls.call { try await base.save(records, policy: policy) }
    }

    func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? {
        try await calls.call(.nothing) { try await base.record(withID: id) }
    }

    func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        try await calls.call(.nothing) { try await base.records(matching: query) }
    }

    @discardableResult
    func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        try await calls.call { try await base.deleteRecords(withIDs: ids) }
    }

    func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        try await calls.call { try await base.deleteSubscription(withID: id) }
    }

    /// Subscribes, unless the store already has the subscription.
    func subscribe(_ subscription: TelemetrySubscription) async throws {
        let stored = try await calls.call(.nothing) { try await base.subscription(withID: subscription.id) }
        if stored != subscription { try await calls.call { _ = try await base.save(subscription) } }
    }

    func deleteEvents(of clientId: String, session: String? = nil, until: Date? = nil) async throws {
        try TransportArguments.check(clientId: clientId)
        let filter = TelemetryEventFilter(clientId: clientId, sessionId: session, until: until)
        try await calls.call { _ = try await base.deleteEvents(matching: filter) }
    }

    /// The client's own records of a type. Records of other identifiers that the store considers equal are excluded.
    func ownRecords(ofType recordType: String, clientId: String) async throws -> [TelemetryRecord] {
        let field = TelemetrySchema.ClientField.clientId.rawValue
        let query = TelemetryRecordQuery(recordType: recordType, conditions: [field: .string(clientId)])
        return try await records(matching: query).filter {
            $0.recordType == recordType && $0[field]?.stringValue == clientId
        }
    }
}
