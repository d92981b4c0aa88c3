import Logging
import ServiceLifecycle
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryServiceLifecycle
import TelemetryTestSupport
import TelemetryTransport
import Testing

@MainActor
struct TelemetryServiceTests {
    private let transport = MockTelemetryTransport()
    private let clock = ManualClock()
    private let telemetry: TelemetryLifecycleService

    /// Makes an approved client, whose scenario is on.
    init() async throws {
        let settings = InMemoryTelemetrySettingsStore()
        await settings.save(TelemetryFixtures.approvedSettings)
        let scenarios = InMemoryTelemetryScenarioStore()
        await scenarios.saveState(for: "Checkout", isEnabled: true)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        telemetry = TelemetryLifecycleService(
            settingsStore: settings, transport: transport,
            configuration: .init(operationTimeout: .seconds(2), reconcileInterval: nil, clock: clock),
            logger: TelemetryLogger(configuration: .init(shutdownDeadline: 1), transport: transport, clock: clock),
            scenarioStore: scenarios)
        try await telemetry.registerScenarios(["Checkout"])
    }

    private func log(_ name: String) { telemetry.telemetryLogger.logEvent(name: name, scenario: "Checkout") }

    private func storedNames() async throws -> [String] { try await transport.store.fetchAllEvents().map(\.name) }

    private func group(_ services: any Service...) -> ServiceGroup {
        ServiceGroup(services: services, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("The service starts telemetry, runs until the graceful shutdown, and delivers what was logged before")
    func gracefulShutdown() async throws {
        let group = group(telemetry)
        let run = Task { try await group.run() }
        await telemetry.startup()
        await telemetry.restorationFinished()
        #expect(telemetry.status == .enabled)
        log("order.placed")
        await group.triggerGracefulShutdown()
        try await run.value
        #expect(telemetry.status == .idle)
        #expect(try await storedNames() == ["order.placed"])
    }

    @Test("Cancelling the service delivers what was logged before")
    func cancellation() async throws {
        let run = Task { try await telemetry.run() }
        await telemetry.startup()
        await telemetry.restorationFinished()
        log("order.placed")
        run.cancel()
        try await run.value
        #expect(telemetry.status == .idle)
        #expect(try await storedNames() == ["order.placed"])
    }

    @Test("Listed first in a group, telemetry delivers what other services log during their shutdown")
    func group() async throws {
        let worker = Worker(telemetry: telemetry)
        let group = group(telemetry, worker)
        let run = Task { try await group.run() }
        await worker.started.wait()
        await group.triggerGracefulShutdown()
        try await run.value
        #expect(try await storedNames() == ["worker.ended"])
    }

    @Test("With a store that hangs, the shutdown ends within the time limit", .timeLimit(.minutes(10)))
    func hangingStore() async throws {
        let group = group(telemetry)
        let run = Task { try await group.run() }
        await telemetry.startup()
        await telemetry.restorationFinished()
        transport.hold(.append)
        log("order.placed")
        await group.triggerGracefulShutdown()
        await transport.held(.append)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(2))
        try await run.value
        #expect(telemetry.status == .idle)
        transport.release(.append)
    }

    /// Logs an event during its shutdown.
    private struct Worker: Service {
        let telemetry: TelemetryLifecycleService
        let started = Signal()

        func run() async throws {
            await telemetry.startup()
            await telemetry.restorationFinished()
            started.send()
            try await ServiceLifecycle.gracefulShutdown()
            await telemetry.telemetryLogger.logEvent(name: "worker.ended", scenario: "Checkout")
        }
    }

    /// Sent once, awaited once.
    private struct Signal: Sendable {
        private let stream: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init() { (stream, continuation) = AsyncStream.makeStream(of: Void.self) }

        func send() { continuation.finish() }
        func wait() async { for await _ in stream {} }
    }
}
