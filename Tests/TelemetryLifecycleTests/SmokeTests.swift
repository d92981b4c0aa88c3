import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct SmokeTests {
    @Test("A client opts in, is approved, records a scenario and opts out")
    func wholeWay() async throws {
        let transport = InMemoryTelemetryTransport()
        let service = TelemetryLifecycleService(
            settingsStore: InMemoryTelemetrySettingsStore(), transport: transport,
            identifierGenerator: FixedIdentifierGenerator("client0001"), configuration: .init(clock: ManualClock()),
            logger: TelemetryLogger(transport: transport), scenarioStore: InMemoryTelemetryScenarioStore())
        await service.startup()
        #expect(service.status == .disabled)
        try await service.registerScenarios(["A"])
        await service.enableTelemetry()
        #expect(service.status == .pendingApproval)
        try await transport.createCommand(.init(clientId: "client0001", action: .enable))
        await service.reconcile()
        #expect(service.status == .enabled)
        try await service.setScenarioEnabled("A", enabled: true)
        service.telemetryLogger.logEvent(name: "x", scenario: "A")
        await service.telemetryLogger.flush()
        #expect(try await transport.countEvents() == 1)
        #expect(try await transport.fetchScenarios(forClient: "client0001").map(\.isEnabled) == [true])
        await service.disableTelemetry()
        #expect(service.status == .disabled)
        #expect(try await transport.countEvents() == 0)
        #expect(try await transport.fetchTelemetryClients().isEmpty)
        await service.shutdown()
    }
}
