#if canImport(CloudKit)
import CloudKit
import Foundation
import TelemetryModels
public import TelemetryTransport

extension CloudKitTransport {
    public func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        guard let name = CloudKitSubscriptionName.name(for: subscription), !subscription.id.isEmpty,
            CloudKitName.isIdentifier(subscription.recordType)
        else {
            throw TelemetryTransportError.invalidArgument(
                "CloudKit cannot keep the subscription \"\(subscription.id)\": its parts are empty, too long or invalid.")
        }
        return try await translatingErrors {
            let stored = try await storedNames(of: subscription.id)
            if stored != [name] {
                let outdated = stored.filter { $0 != name }
                let results = try await database.modifySubscriptions(
                    saving: [cloudKitSubscription(named: name, subscription)], deleting: outdated)
                for result in results.saveResults.values { _ = try result.get() }
                for result in results.deleteResults.values { try result.get() }
            }
            hub.remember(subscription)
            return subscription.id
        }
    }

    public func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        try await translatingErrors {
            let stored = try await storedNames(of: id).first
            let subscription = stored.flatMap { CloudKitSubscriptionName.subscription(named: $0, lookingFor: id) }
            if let subscription { hub.remember(subscription) } else { hub.forget(id) }
            return subscription
        }
    }

    public func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        try await translatingErrors {
            let stored = try await storedNames(of: id)
            if !stored.isEmpty {
                let results = try await database.modifySubscriptions(saving: [], deleting: stored)
                for result in results.deleteResults.values {
                    do {
                        try result.get()
                    } catch let error as CKError where error.code == .unknownItem {
                        continue
                    }
                }
            }
            hub.forget(id)
        }
    }

    /// Returns the notifications passed to ``handleRemoteNotification(_:)``, and those of this connection's own changes, for
    /// which CloudKit sends no push to this device.
    public func notifications() -> AsyncStream<TelemetryNotification> { hub.notifications.stream() }

    /// The CloudKit names of the user's subscription with this identifier: one, or none.
    private func storedNames(of id: TelemetrySubscription.ID) async throws -> [CKSubscription.ID] {
        try await database.allSubscriptions().map(\.subscriptionID).filter {
            CloudKitSubscriptionName.subscription(named: $0, lookingFor: id)?.id == id
        }
    }

    private func cloudKitSubscription(named name: String, _ subscription: TelemetrySubscription) -> CKQuerySubscription {
        let client = subscription.clientId.map { TelemetryValue.string($0) }
        let query = TelemetryRecordQuery(
            recordType: subscription.recordType,
            conditions: client.map { [TelemetrySchema.ClientField.clientId.rawValue: $0] } ?? [:])
        let stored = CKQuerySubscription(
            recordType: subscription.recordType, predicate: CloudKitPredicate(query).predicate, subscriptionID: name,
            options: [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion])
        // A silent push, which notifies only the app.
        let info = CKSubscription.NotificationInfo()
        info.shouldSendContentAvailable = true
        stored.notificationInfo = info
        return stored
    }
}
#endif
