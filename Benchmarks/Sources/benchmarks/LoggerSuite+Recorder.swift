import Foundation
import Measure
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

extension LoggerSuite {
    /// Measures calls of a scenario that is off while the flight recorder keeps its events. A policy turns the recorder on, so that
    /// the logger belongs to a service with an approved client.
    static func recording(_ body: (TelemetryLogger) -> Double) async throws -> Double {
        let scratch = try Scratch()
        let logger = TelemetryLogger(
            configuration: .init(spoolDirectory: scratch.url.appending(path: "spool")), transport: NullTransport())
        let service = try await approvedService(of: logger, policy: TelemetryPolicy(recordedScenarios: ["NetworkRequests"]))
        await service.startup()
        await service.restorationFinished()
        let isRecorded = logger.scenario("NetworkRequests").isEnabled
        let cost = body(logger)
        guard isRecorded, logger.statistics.logged == 0 else { throw NotRecorded() }
        await service.shutdown()
        return cost
    }

    /// A service, not started yet, whose client is approved.
    static func approvedService(
        of logger: TelemetryLogger, policy: TelemetryPolicy, rules: [TelemetryRuleRecord] = []
    ) async throws -> TelemetryLifecycleService {
        let clientId = "hx4mkqzw2v"
        let store = InMemoryTelemetryTransport()
        try await store.createTelemetryClient(clientId: clientId, isEnabled: true)
        for rule in rules { _ = try await store.createRule(rule) }
        let settings = InMemoryTelemetrySettingsStore()
        await settings.save(
            TelemetrySettings(telemetryRequested: true, telemetrySendingEnabled: true, clientIdentifier: clientId))
        return await TelemetryLifecycleService(
            settingsStore: settings, transport: store, configuration: .init(reconcileInterval: nil, policy: policy),
            logger: logger, scenarioStore: InMemoryTelemetryScenarioStore(),
            pendingWorkStore: InMemoryTelemetryPendingWorkStore())
    }

    private struct NotRecorded: Error {}
}
