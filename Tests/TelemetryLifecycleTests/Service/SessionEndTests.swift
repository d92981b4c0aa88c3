import Foundation
import Synchronization
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// The deletions after ended sessions.
@MainActor
struct SessionEndTests {
    private let directory = TemporaryDirectory()

    @Test("Many sessions that end while offline are one deletion")
    func manyOffline() async throws {
        let host = try await TestHost.approved()
        host.transport.isOffline = true
        for _ in 0..<300 {
            await #expect(throws: TelemetryTransportError.self) { try await host.service.endSession() }
        }
        #expect(host.service.pendingWork.deletions.count == 1)
        #expect(await host.storedWork.deletions.count == 1)
        host.transport.isOffline = false
        host.transport.forgetCalls()
        await host.service.reconcile()
        #expect(host.transport.calls(of: .deleteEvents).count == 1)
        #expect(host.transport.calls.count < 10)
        #expect(!host.service.hasPendingWork)
    }

    @Test(
        "An ended session's events are deleted even if their time is after its end; later ones are kept",
        arguments: [true, false], LoggingDevice.Logger.allCases)
    private func clockSetBack(restarts: Bool, logger: LoggingDevice.Logger) async throws {
        let device = try await LoggingDevice(logger, spool: directory.url)
        var service = await device.start()
        device.time.advance(by: 3_600)
        await device.log("before", service)
        device.time.advance(by: -3_600)
        device.transport.fail(.deleteEvents)
        let ended = service.telemetryLogger.currentSessionId
        await #expect(throws: TelemetryTransportError.self) { try await service.endSession() }
        #expect(service.telemetryLogger.currentSessionId != ended)
        device.time.advance(by: 1)
        await device.log("after", service)
        #expect(try await device.transport.store.fetchAllEvents().map(\.name) == ["before", "after"])
        if restarts {
            await service.shutdown()
            service = await device.start()
        } else {
            await service.reconcile()
        }
        #expect(try await device.transport.store.fetchAllEvents().map(\.name) == ["after"])
        #expect(!service.hasPendingWork)
        await service.shutdown()
    }

    @Test("A session that sent nothing adds no name to the deletion")
    func nothingSent() async throws {
        let device = try await LoggingDevice(.inMemory, spool: directory.url)
        let service = await device.start()
        device.transport.isOffline = true
        for _ in 0..<20 { try? await service.endSession() }
        #expect(service.pendingWork.deletions.map(\.sessions) == [[]])
        await service.shutdown()
    }
}

/// The state that survives a process: the store, the settings, the spool and the clock.
@MainActor
private final class LoggingDevice {
    enum Logger: CaseIterable { case inMemory, spooling, hostsOwn }

    /// A date that a test moves.
    final class Time: Sendable {
        private let date = Mutex(TelemetryFixtures.date)
        var now: Date { date.withLock { $0 } }
        func advance(by seconds: TimeInterval) { date.withLock { $0 += seconds } }
    }

    let transport = MockTelemetryTransport()
    let time = Time()
    private let settingsStore = InMemoryTelemetrySettingsStore()
    private let scenarioStore = InMemoryTelemetryScenarioStore()
    private let logger: Logger
    private let spool: URL

    init(_ logger: Logger, spool: URL) async throws {
        self.logger = logger
        self.spool = spool
        await settingsStore.save(TelemetryFixtures.approvedSettings)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
    }

    func start() async -> TelemetryLifecycleService {
        let clock = ManualClock()
        var logging = TelemetryLogger.Configuration()
        if logger == .spooling { logging.spoolDirectory = spool }
        let time = time
        let base = TelemetryLogger(configuration: logging, transport: transport, clock: clock, now: { time.now })
        let service = TelemetryLifecycleService(
            settingsStore: settingsStore, transport: transport,
            configuration: .init(reconcileInterval: nil, clock: clock, now: { time.now }),
            logger: logger == .hostsOwn ? HostLogger(base) : base, scenarioStore: scenarioStore)
        await service.startup()
        await service.restorationFinished()
        return service
    }

    /// Logs an event and delivers it.
    func log(_ name: String, _ service: TelemetryLifecycleService) async {
        service.telemetryLogger.logEvent(name: name)
        await service.telemetryLogger.flush()
    }
}

/// A logger of the host's own.
private actor HostLogger: TelemetryLogging {
    private let base: TelemetryLogger

    init(_ base: TelemetryLogger) { self.base = base }

    nonisolated var currentSessionId: String { base.currentSessionId }

    nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue]
    ) {
        base.logEvent(name: name, scenario: scenario, level: level, property1: property1(), attributes: attributes())
    }

    func setClientIdentifier(_ clientId: String?) async { await base.setClientIdentifier(clientId) }
    func updateScenarioStates(_ states: [String: Bool]) async { await base.updateScenarioStates(states) }
    func activate(enabled: Bool) async { await base.activate(enabled: enabled) }
    func setEnabled(_ enabled: Bool) async { await base.setEnabled(enabled) }
    func flush() async { await base.flush() }
    func shutdown() async { await base.shutdown() }
}
