public import TelemetryLogging
public import TelemetryModels
import TelemetryTransport

/// A logger with the scenario "NetworkRequests" and a store in memory, for tests of clients that log their requests.
@_spi(Tooling)
public struct NetworkBench: Sendable {
    private let transport = MockTelemetryTransport()
    private let logger: TelemetryLogger
    /// The scenario.
    public let scenario: TelemetryScenario

    /// Creates a logger that is enabled.
    /// - Parameter state: The scenario's state.
    public init(_ state: TelemetryScenarioState = .init(isEnabled: true)) async {
        logger = TelemetryLogger(transport: transport, clock: ManualClock())
        scenario = logger.scenario("NetworkRequests")
        await logger.setClientIdentifier(TelemetryFixtures.clientId)
        await logger.activate(enabled: true)
        await set(state)
    }

    /// Sets the scenario's state.
    public func set(_ state: TelemetryScenarioState) async { await logger.updateScenarios(["NetworkRequests": state]) }

    /// The events logged so far.
    public var events: [TelemetryEvent] {
        get async throws {
            await logger.flush()
            return try await transport.store.events(matching: .all, after: nil, limit: .max).events
        }
    }
}
