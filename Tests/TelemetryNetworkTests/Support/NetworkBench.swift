import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport

/// A logger with the scenario "NetworkRequests" and a store in memory.
struct NetworkBench {
    private let transport = MockTelemetryTransport()
    let logger: TelemetryLogger
    let scenario: TelemetryScenario

    init(_ state: TelemetryScenarioState = .init(isEnabled: true)) async {
        logger = TelemetryLogger(transport: transport, clock: ManualClock())
        scenario = logger.scenario("NetworkRequests")
        await logger.setClientIdentifier(TelemetryFixtures.clientId)
        await logger.activate(enabled: true)
        await set(state)
    }

    func set(_ state: TelemetryScenarioState) async { await logger.updateScenarios(["NetworkRequests": state]) }

    /// The events logged so far.
    var events: [TelemetryEvent] {
        get async throws {
            await logger.flush()
            return try await transport.store.events(matching: .all, after: nil, limit: .max).events
        }
    }
}
