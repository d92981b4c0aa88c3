import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryPersistence
import TelemetryTransport

/// A client in the test's process that uses the tool's store.
@MainActor
struct TestClient {
    let service: TelemetryLifecycleService
    let transport: FileTelemetryTransport

    /// Creates a client that has requested approval, with these scenarios.
    init(store: URL, identifier: String, scenarios: [String] = ["A", "B"], policy: TelemetryPolicy = TelemetryPolicy())
        async throws
    {
        transport = try FileTelemetryTransport(directory: store)
        let state = store.deletingLastPathComponent().appendingPathComponent("state-\(identifier.count)")
        var configuration = TelemetryLifecycleService.Configuration()
        configuration.policy = policy
        configuration.loggerConfiguration.spoolDirectory = state.appendingPathComponent("spool")
        service = TelemetryLifecycleService(
            settingsStore: InMemoryTelemetrySettingsStore(), transport: transport,
            identifierGenerator: Named(name: identifier), configuration: configuration,
            scenarioStore: InMemoryTelemetryScenarioStore())
        await service.startup()
        await service.enableTelemetry()
        try await service.registerScenarios(scenarios)
    }

    private struct Named: TelemetryIdentifierGenerating {
        let name: String
        func generateIdentifier() -> String { name }
    }
}
