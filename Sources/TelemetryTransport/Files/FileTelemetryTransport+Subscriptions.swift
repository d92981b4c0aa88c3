import TelemetryStorage

extension FileTelemetryTransport {
    private var files: RecordFiles { RecordFiles(layout: layout, system: system, configuration: configuration.store) }

    public func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        let stored = StoredSubscription(
            id: subscription.id, recordType: subscription.recordType, clientId: subscription.clientId)
        try await changing(.subscribed(stored)) {
            try files.write(stored, to: layout.subscription(subscription.id), in: layout.subscriptions)
        }
        return subscription.id
    }

    public func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        do {
            let found = try files.read(TelemetrySubscription.self, at: layout.subscription(id))
            // A store that is out of reach is no empty one.
            if found == nil { _ = try system.list(layout.subscriptions) }
            return found
        } catch {
            throw error.transportError
        }
    }

    public func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        try await changing(.unsubscribed(id: id)) { try files.remove(layout.subscription(id), in: layout.subscriptions) }
    }

    /// Changes from now on, by this process and others, within milliseconds if the system reports file changes.
    public nonisolated func notifications() -> AsyncStream<TelemetryNotification> { follower.notifications() }

    /// Under the lock of all records, so that entries have the order in which the changes were made. The change comes first:
    /// whoever begins to follow behind an entry reads what is stored then.
    private func changing(_ line: JournalLine, _ change: () throws -> Void) async throws {
        try await whenUnlocked("the records") { () -> Void? in
            let lock = try system.open(layout.recordsLock, for: .update)
            guard try lock.tryLock(.exclusive) else { return nil }
            defer { lock.unlock() }
            guard try lock.status().isLinked, try journal.begin() != nil else { return nil }
            defer { journal.end() }
            try change()
            try journal.write([line])
            journal.currentEnd.note(in: lock)
        }
    }
}
