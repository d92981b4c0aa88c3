import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// An opt-out takes effect at once, in every process, whatever the store, the disk or another process does.
@MainActor
struct OptOutTests {
    private let clientId = TestHost.clientId

    @Test(
        "From the call on, the library's logger takes and sends no event, whatever operations hang before it",
        .timeLimit(.minutes(10)))
    func gate() async throws {
        let clock = ManualClock()
        let transport = HangingTransport()
        let store = SignallingStore()
        _ = await store.save(TelemetryFixtures.approvedSettings)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        let logger = TelemetryLogger(transport: transport, clock: clock)
        let service = TelemetryLifecycleService(
            settingsStore: store, transport: transport,
            configuration: .init(operationTimeout: .seconds(10), reconcileInterval: nil, clock: clock), logger: logger,
            scenarioStore: InMemoryTelemetryScenarioStore(), pendingWorkStore: InMemoryTelemetryPendingWorkStore())
        await service.startup()
        await service.restorationFinished()
        try #require(service.status == .enabled)
        transport.hang()
        let queued = (1...8).map { _ in Task { await service.reconcile() } }
        await transport.hanging()
        let before = logger.statistics.logged
        let off = Task { await service.disableTelemetry() }
        await store.optedOut()
        for _ in 1...10 { logger.logEvent(name: "late") }
        #expect(logger.statistics.logged == before)
        transport.letGo()
        for call in queued { _ = await call.value }
        #expect(await off.value == .defaults)
        #expect(try await transport.store.countEvents() == 0)
        await service.shutdown()
    }

    @Test("An opt-in that was called before an opt-out has no effect after it; one that is called later has")
    func order() async throws {
        let host = try await TestHost(server: true, identifiers: (1...9).map { "client\($0)" })
        host.transport.hold(.record)
        let looked = Task { await host.service.enableTelemetry() }
        await host.transport.held(.record)
        let calls = [
            Task { await host.service.enableTelemetry() }, Task { await host.service.disableTelemetry() },
        ]
        await host.logger.called(.activate(enabled: false))
        host.transport.release(.record)
        _ = await looked.value
        for call in calls { _ = await call.value }
        #expect(await host.settingsStore.load() == .defaults)
        #expect(host.service.status == .disabled)
        await host.service.enableTelemetry()
        #expect(host.service.settings.telemetryRequested)
    }

    // MARK: Two processes

    /// Starts another process and the pause of both services after a notification: the clock stands still, so that later ones
    /// cause no refresh. The notification is that the new process has written when the client was last seen.
    private func startOther(_ host: TestHost) async -> Process {
        let other = Process(host)
        host.transport.forgetCalls()
        await other.comeUp()
        // The commands and the rules: at the startup of the one, and in the refreshes of both.
        await host.transport.called(.records, atLeast: 6)
        return other
    }

    @Test("A process whose client another one ended deletes the events that were stored after the other's deletion")
    func otherProcess() async throws {
        let host = try await TestHost.approved()
        let other = await startOther(host)
        try #require(other.service.status == .enabled)
        await host.service.disableTelemetry()
        // The other process has not read the change yet.
        try await host.transport.store.append(TelemetryFixtures.events(1...16))
        await other.service.reconcile()
        #expect(other.service.status == .disabled)
        #expect(try await host.belongings(of: clientId) == 0)
        #expect(!other.service.hasPendingWork)
        #expect(await host.storedWork.isEmpty)
    }

    @Test("A deletion because of another process's opt-out is remembered until it is done")
    func otherProcessOffline() async throws {
        let host = try await TestHost.approved()
        let other = await startOther(host)
        await host.service.disableTelemetry()
        try await host.transport.store.append(TelemetryFixtures.events(1...16))
        host.transport.isOffline = true
        await other.service.reconcile()
        #expect(other.service.status.errorMessage != nil)
        #expect(await other.logger.isEnabled == false)
        host.transport.isOffline = false
        host.restart()
        await host.comeUp()
        #expect(try await host.belongings(of: clientId) == 0)
    }

    @Test("60 rounds of concurrent opt-ins and an opt-out by two processes leave nothing behind")
    func rounds() async throws {
        let host = try await TestHost(identifiers: (1...500).map { "client\($0)" })
        let other = Process(host, identifiers: (501...999).map { "client\($0)" })
        for _ in 1...60 {
            async let first = host.service.enableTelemetry()
            async let second = other.service.enableTelemetry()
            _ = await (first, second)
            await host.service.disableTelemetry()
        }
        for service in [host.service, other.service, host.service] { await service.reconcile() }
        #expect(await host.settingsStore.load() == .defaults)
        #expect(try await host.transport.store.fetchTelemetryClients().isEmpty)
    }

    @Test("An opt-out deletes the client of the current settings, and the one that was read before")
    func otherIdentity() async throws {
        let host = try await TestHost.approved(settingsStore: InMemoryTelemetrySettingsStore())
        // Another process has opted out and in again, which this one has not read yet.
        try await host.addNeighbour("newclient")
        await host.settingsStore.update { $0.clientIdentifier = "newclient" }
        await host.service.disableTelemetry()
        await host.service.reconcile()
        #expect(try await host.belongings(of: "newclient") == 0)
        #expect(try await host.belongings(of: clientId) == 0)
    }

    @Test("The end of one client's consent does not end that of another client in another process")
    func otherOptIn() async throws {
        let host = try await TestHost.approved()
        try await host.addNeighbour("newclient")
        host.transport.hold(.records)
        try await host.transport.store.deleteTelemetryClient(recordID: .client(clientId))
        let looked = Task { await host.service.reconcile() }
        await host.transport.held(.records)
        await host.settingsStore.save(TelemetrySettings(telemetryRequested: true, clientIdentifier: "newclient"))
        host.transport.release(.records)
        _ = await looked.value
        // The service may have looked at the new client, too, and found that it is approved.
        let settings = await host.settingsStore.load()
        #expect(settings.telemetryRequested && settings.clientIdentifier == "newclient")
    }

    @Test("An opt-out is recorded while the logger is slow to stop", .timeLimit(.minutes(10)))
    func slowLogger() async throws {
        let host = try await TestHost(settings: TelemetryFixtures.approvedSettings, server: true)
        let logger = SlowLogger()
        let process = Process(host, logger: logger)
        await process.comeUp()
        let paused = Task { await process.service.pauseTelemetry() }
        await logger.gate.waiters()
        let left = Task { await process.service.disableTelemetry() }
        await process.service.optedOut()
        #expect(await host.settingsStore.load() == .defaults)
        logger.gate.open()
        await paused.value
        _ = await left.value
        #expect(await logger.base.isEnabled == false)
    }

    @Test("A backup that is read while another process opts out is not restored")
    func restore() async throws {
        let backup = HeldBackup(TelemetryFixtures.approvedSettings)
        let store = InMemoryTelemetrySettingsStore()
        let host = try await TestHost(
            server: true, settingsStore: store, coordinator: TelemetrySettingsSyncCoordinator(backupClient: backup))
        let restored = Task { await host.service.restoreFromBackup() }
        await backup.gate.waiters()
        await Process(host).service.disableTelemetry()
        backup.gate.open()
        _ = await restored.value
        #expect(await store.load() == .defaults)
        #expect(await host.logger.isEnabled != true)
    }
}

/// Another process of the app with the same stores and its own logger.
@MainActor
private struct Process {
    let logger = MockTelemetryLogger()
    let service: TelemetryLifecycleService

    init(_ host: TestHost, identifiers: [String] = [TestHost.clientId], logger other: (any TelemetryLogging)? = nil) {
        service = TelemetryLifecycleService(
            settingsStore: host.settingsStore, transport: host.transport,
            identifierGenerator: FixedIdentifierGenerator(identifiers: identifiers),
            configuration: .init(
                operationTimeout: .seconds(10), reconcileInterval: nil, clock: host.clock, now: { TelemetryFixtures.date }),
            logger: other ?? logger, scenarioStore: host.scenarioStore)
    }

    func comeUp() async {
        await service.startup()
        await service.restorationFinished()
    }
}

/// A logger that turns recording off once a gate opens.
private actor SlowLogger: TelemetryLogging {
    nonisolated let gate = TestGate()
    nonisolated let base = MockTelemetryLogger()
    nonisolated var currentSessionId: String { base.currentSessionId }

    init() { gate.close() }

    nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue]
    ) {}
    func setClientIdentifier(_ clientId: String?) async { await base.setClientIdentifier(clientId) }
    func updateScenarioStates(_ states: [String: Bool]) async { await base.updateScenarioStates(states) }
    func activate(enabled: Bool) async { await base.activate(enabled: enabled) }
    func setEnabled(_ enabled: Bool) async {
        if !enabled { try? await gate.pass() }
        await base.setEnabled(enabled)
    }
    func flush() async {}
    func shutdown() async { await base.shutdown() }
}

/// A host's store that signals when an opt-out has been stored.
private actor SignallingStore: TelemetrySettingsStoring {
    private var settings = TelemetrySettings.defaults
    private let signal = AsyncStream.makeStream(of: Void.self)

    func load() async -> TelemetrySettings { settings }
    func save(_ settings: TelemetrySettings) async -> TelemetrySettings { await update { $0 = settings } }
    func reset() async -> TelemetrySettings { await save(.defaults) }

    func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        let wasRequested = settings.telemetryRequested
        transform(&settings)
        if wasRequested, !settings.telemetryRequested { signal.continuation.yield() }
        return settings
    }

    func optedOut() async { for await _ in signal.stream { return } }
}

/// A backup whose loads wait for a gate.
private struct HeldBackup: TelemetrySettingsBackingUp {
    let gate = TestGate()
    private let content: TelemetrySettings

    init(_ content: TelemetrySettings) {
        self.content = content
        gate.close()
    }

    func saveSettings(_ settings: TelemetrySettings) async throws {}
    func clearSettings() async throws {}
    func loadSettings() async throws -> TelemetrySettings? {
        try await gate.pass()
        return content
    }
}
