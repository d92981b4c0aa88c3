import TelemetryLifecycle
import TelemetryLogging
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct OfflineOptInTests {
    @MainActor
    @Test("A host that opts in without a connection is pending once it is online")
    func failures() async throws {
        let transport = MockTelemetryTransport()
        transport.isOffline = true
        let telemetry = TelemetryLifecycleService(
            settingsStore: InMemoryTelemetrySettingsStore(), transport: transport, configuration: .init(clock: ManualClock()),
            logger: TelemetryLogger(transport: transport), scenarioStore: InMemoryTelemetryScenarioStore())
        await telemetry.startup()
        await telemetry.enableTelemetry()
        #expect(!transport.calls.isEmpty)
        #expect(try await transport.store.fetchTelemetryClients().isEmpty)

        transport.isOffline = false
        await telemetry.reconcile()
        #expect(telemetry.status == .pendingApproval)
        #expect(try await transport.store.fetchTelemetryClients().count == 1)
        await telemetry.shutdown()
    }
}
