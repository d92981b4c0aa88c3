import Synchronization
import TelemetryModels
import TelemetryTransport

/// Local notifications of one connection, because CloudKit sends no push to the device that made the change.
final class CloudKitHub: Sendable {
    let notifications = StreamBroadcaster<TelemetryNotification>(buffering: .unbounded)
    let arrivals = StreamBroadcaster<Void>(buffering: .bufferingNewest(1))
    /// The subscriptions that this connection saved or read. The server is the source of truth.
    private let known = Mutex<[TelemetrySubscription.ID: TelemetrySubscription]>([:])

    func remember(_ subscription: TelemetrySubscription) { known.withLock { $0[subscription.id] = subscription } }

    func forget(_ id: TelemetrySubscription.ID) { known.withLock { _ = $0.removeValue(forKey: id) } }

    func notify(of record: TelemetryRecord) {
        for subscription in known.withLock({ Array($0.values) }) where subscription.covers(record) {
            notifications.yield(
                TelemetryNotification(
                    subscriptionID: subscription.id, recordType: record.recordType, recordID: record.recordID))
        }
    }
}
