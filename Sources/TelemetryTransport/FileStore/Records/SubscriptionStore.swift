import TelemetrySystem

/// The subscriptions of a store: a file for each.
///
/// They are changed under the lock of all records, so that their entries in the journal are in the order of the changes. A change is
/// made before its entry is written: a reader that begins after an entry reads the stored subscriptions.
struct SubscriptionStore {
    let store: OpenStore

    nonisolated(nonsending) func save(_ subscription: TelemetrySubscription) async throws {
        try await store.withLockedRecords { write in
            try store.files.write(
                subscription, to: store.layout.subscription(subscription.id), in: store.layout.subscriptions)
            try write(.subscribed(subscription))
        }
    }

    func subscription(withID id: TelemetrySubscription.ID) throws(TelemetryTransportError) -> TelemetrySubscription? {
        do {
            let found = try store.files.read(TelemetrySubscription.self, at: store.layout.subscription(id))
            // Throws if the store is unreachable: it must not appear empty.
            if found == nil { _ = try store.system.list(store.layout.subscriptions) }
            return found
        } catch {
            throw error.transportError
        }
    }

    nonisolated(nonsending) func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        try await store.withLockedRecords { write in
            try store.files.remove(store.layout.subscription(id), in: store.layout.subscriptions)
            try write(.unsubscribed(id: id))
        }
    }
}
