import TelemetryLifecycle
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct SubscriptionManagerTests {
    private let transport = MockTelemetryTransport()

    @Test("Registers once, knows what it registered, and ends it")
    func registers() async throws {
        let manager = TelemetrySubscriptionManager(transport: transport)
        #expect(await manager.currentSubscriptionID == nil)
        try await manager.registerSubscription(for: "client")
        try await manager.registerSubscription(for: "client")
        #expect(await manager.currentSubscriptionID == "TelemetryCommand-client")
        #expect(transport.calls(of: .saveSubscription).count == 1)
        try await manager.unregisterSubscription()
        #expect(await manager.currentSubscriptionID == nil)
        #expect(try await transport.store.fetchCommandSubscription(for: "client") == nil)
        try await manager.unregisterSubscription()
        #expect(transport.calls(of: .deleteSubscription).count == 1)
    }

    @Test("A failure leaves things as they were, to be tried again")
    func fails() async throws {
        let manager = TelemetrySubscriptionManager(transport: transport)
        transport.fail(.saveSubscription)
        await #expect(throws: TelemetryTransportError.self) { try await manager.registerSubscription(for: "client") }
        #expect(await manager.currentSubscriptionID == nil)
        try await manager.registerSubscription(for: "client")
        transport.fail(.deleteSubscription)
        await #expect(throws: TelemetryTransportError.self) { try await manager.unregisterSubscription() }
        #expect(await manager.currentSubscriptionID == "TelemetryCommand-client")
        try await manager.unregisterSubscription()
        #expect(await manager.currentSubscriptionID == nil)
    }
}
