import TelemetryModels
import TelemetryTransport

/// Bounds what one client may store beside events, which retention bounds: a token that ships inside an app is public.
///
/// The counts are read before the save, so that saves at the same time may exceed them by one request each.
struct HostRecordLimits: Sendable {
    let storage: any RelayRecordStorage & RelaySubscriptionStorage
    let limits: RelayLimits

    /// - Parameter clients: the caller's clients.
    /// - Throws: a 413 if a record is too large, or if a client's records would be too many or too large together.
    func check(_ records: [RelayRecord], of clients: Set<String>) async throws {
        for record in records where WireRecord.json(record).count > limits.recordBytes {
            throw Problem.tooLarge("A host's record may have at most \(limits.recordBytes) bytes.")
        }
        for client in clients {
            let saved = records.filter { $0.clientId == client && Self.types.contains($0.record.recordType) }
            if !saved.isEmpty { try await check(saved, of: client) }
        }
    }

    private static let types = [TelemetrySchema.clientRecordType, TelemetrySchema.scenarioRecordType]

    private func check(_ saved: [RelayRecord], of client: String) async throws {
        let sizes = Dictionary(saved.map { ($0.name, WireRecord.json($0).count) }) { $1 }
        let others = try await storage.recordUsage(of: client, types: Self.types, without: Array(sizes.keys))
        guard others.count + sizes.count <= limits.clientRecords else {
            throw Problem.tooLarge("A client may have at most \(limits.clientRecords) records.")
        }
        guard others.bytes + sizes.values.reduce(0, +) <= limits.clientRecordBytes else {
            throw Problem.tooLarge("A client's records may have at most \(limits.clientRecordBytes) bytes together.")
        }
    }

    /// - Throws: a 413 if the subscription is too large, or if the owner has as many other subscriptions as it may have.
    func check(_ subscription: TelemetrySubscription, owner: String) async throws {
        let names = [subscription.id, subscription.recordType, subscription.clientId ?? ""]
        guard names.reduce(0, { $0 + $1.utf8.count }) <= limits.subscriptionBytes else {
            throw Problem.tooLarge("A host's subscription may have at most \(limits.subscriptionBytes) bytes.")
        }
        let others = try await storage.subscriptions(owner: owner).filter { $0.id != subscription.id }
        guard others.count < limits.clientSubscriptions else {
            throw Problem.tooLarge("A client may have at most \(limits.clientSubscriptions) subscriptions.")
        }
    }
}
