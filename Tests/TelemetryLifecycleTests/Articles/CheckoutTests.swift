import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct CheckoutTests {
    @MainActor
    @Test("A host's test reads the events that a viewer would read")
    func article() async throws {
        let transport = InMemoryTelemetryTransport()
        let telemetry = TelemetryLifecycleService(
            settingsStore: InMemoryTelemetrySettingsStore(), transport: transport, configuration: .init(clock: ManualClock()),
            logger: TelemetryLogger(transport: transport), scenarioStore: InMemoryTelemetryScenarioStore())
        await telemetry.startup()
        try await telemetry.registerScenarios(["Checkout"])
        let settings = await telemetry.enableTelemetry()
        #expect(telemetry.status == .pendingApproval)

        let clientId = try #require(settings.clientIdentifier)
        try await transport.createCommand(TelemetryCommandRecord(clientId: clientId, action: .enable))
        try await transport.createCommand(
            TelemetryCommandRecord(clientId: clientId, action: .enableScenario, scenarioName: "Checkout"))
        await telemetry.reconcile()
        #expect(telemetry.status == .enabled)
        #expect(telemetry.scenarioStates == ["Checkout": true])

        telemetry.telemetryLogger.logEvent(name: "cart.opened", scenario: "Checkout", property1: "3 items")
        await telemetry.telemetryLogger.flush()
        let events = try await transport.fetchAllEvents()
        #expect(events.map(\.name) == ["cart.opened"])
        await telemetry.shutdown()
    }
}
