import Foundation
import TelemetryModels
import TelemetrySystem
public import TelemetryTransport

extension HTTPTelemetryTransport {
    public func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        try Self.check(subscription.id)
        try await client.send(
            .init(
                .put, "v1", "subscriptions", subscription.id, body: RecordEncoder.subscription(subscription),
                subject: .clients(subscription.clientId.map { [$0] } ?? [])))
        return subscription.id
    }

    public func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        if id.isEmpty { return nil }
        let body: Data
        do {
            body = try await client.send(.init(.get, "v1", "subscriptions", id, subject: .anyKnown))
        } catch let error as TelemetryTransportError where error.code == .notFound { return nil }
        var type: String?
        var clientId: String?
        let isRead = body.withScanner { scanner in
            scanner.readMembers { key, scanner in
                if key.isIdentical(to: "recordType") { return scanner.read(&type) }
                if key.isIdentical(to: "clientid") { return scanner.read(&clientId) }
                return scanner.skipValue()
            }
        }
        guard isRead, let type else { throw RelayClient.unexpectedAnswer }
        return TelemetrySubscription(id: id, recordType: type, clientId: clientId)
    }

    public func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        if id.isEmpty { return }
        do {
            try await client.send(.init(.delete, "v1", "subscriptions", id, subject: .anyKnown))
        } catch let error as TelemetryTransportError where error.code == .notFound {}
    }

    /// Returns the changes from now on, for every saved subscription that the relay allows this caller.
    ///
    /// All streams share one connection, which is open while there are consumers and is reopened when it ends. If changes may
    /// have been missed, also between this call and the relay's first response, each stream receives one notification without any
    /// field: refresh everything. A host's connection waits for ``setClientIdentifier(_:)``.
    public func notifications() -> AsyncStream<TelemetryNotification> { notificationStream.stream() }

    private static func check(_ id: TelemetrySubscription.ID) throws(TelemetryTransportError) {
        if id.isEmpty { throw .invalidArgument("A subscription's identifier must not be empty.") }
    }
}
