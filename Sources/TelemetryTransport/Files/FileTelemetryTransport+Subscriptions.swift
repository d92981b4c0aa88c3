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

    /// Changes from now on, by this process and others, in milliseconds where the system tells of changes of files.
    public nonisolated func notifications() -> AsyncStream<TelemetryNotification> { follower.notifications() }

    /// Each subscription is one file, renamed into place: nothing to lock, only to tell.
    private func changing(_ line: JournalLine, _ change: () throws -> Void) async throws {
        try await whenUnlocked("the journal") { () -> Void? in
            guard try journal.begin() != nil else { return nil }
            defer { journal.end() }
            try change()
            try journal.write([line])
        }
    }
}
