import TelemetryLifecycle
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct SubscriptionManagerTests {
    private let transport = MockTelemetryTransport()

    @Test("The manager registers once, returns its subscription, and removes it")
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

    @Test("After a failure the state is unchanged, and the call can be repeated")
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
