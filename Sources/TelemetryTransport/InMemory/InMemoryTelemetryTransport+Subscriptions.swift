extension InMemoryTelemetryTransport {
    public func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        subscriptions[subscription.id] = subscription
        return subscription.id
    }

    public func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        subscriptions[id]
    }

    public func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        subscriptions[id] = nil
    }

    public nonisolated func notifications() -> AsyncStream<TelemetryNotification> { notificationStreams.stream() }
}
