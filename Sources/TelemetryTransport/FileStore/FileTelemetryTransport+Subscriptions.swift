import TelemetrySystem

extension FileTelemetryTransport {
    private var files: RecordFiles { RecordFiles(layout: layout, system: system, configuration: configuration) }

    public func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        try await changing(.subscribed(subscription)) {
            try files.write(subscription, to: layout.subscription(subscription.id), in: layout.subscriptions)
        }
        return subscription.id
    }

    public func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        do {
            let found = try files.read(TelemetrySubscription.self, at: layout.subscription(id))
            // Throws if the store is unreachable: it must not appear empty.
            if found == nil { _ = try system.list(layout.subscriptions) }
            return found
        } catch {
            throw error.transportError
        }
    }

    public func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        try await changing(.unsubscribed(id: id)) { try files.remove(layout.subscription(id), in: layout.subscriptions) }
    }

    /// Returns the changes from now on, by this process and others, within milliseconds if the system reports file changes.
    public nonisolated func notifications() -> AsyncStream<TelemetryNotification> { follower.notifications() }

    /// Makes a change under the lock of all records, so that the entries are in the order of the changes. The change is made
    /// first: a reader that begins after an entry reads the stored subscriptions.
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
