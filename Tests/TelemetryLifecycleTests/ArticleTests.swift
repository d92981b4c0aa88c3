import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// The code of the article on testing an integration. `.ci/readme` compares the two.
struct ArticleTests {
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

    @Test("A batch is sent after the flush interval")
    func time() async throws {
        let clock = ManualClock()
        let transport = MockTelemetryTransport()
        let logger = TelemetryLogger(configuration: .init(flushInterval: 30), transport: transport, clock: clock)
        await logger.activate(enabled: true)
        logger.logEvent(name: "app.started")
        // The logger sleeps until the interval has passed.
        await clock.sleepers()
        clock.advance(by: .seconds(30))
        await transport.called(.append)
        #expect(transport.appendedEvents.map(\.name) == ["app.started"])
        await logger.shutdown()
    }
}
