import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Two processes of an app with the same settings: after an opt-out in one of them, neither sends anything.
@MainActor
struct SharedSettingsTests {
    enum Store: CaseIterable { case file, memory }

    private let root = TemporaryDirectory()
    private let transport = MockTelemetryTransport()
    private let memory = InMemoryTelemetrySettingsStore()
    private let clock = ManualClock()

    private func settingsStore(_ store: Store) -> any TelemetrySettingsStoring & SettingsDocumentStoring {
        switch store {
        case .file: FileTelemetrySettingsStore(directory: root.url)
        case .memory: memory
        }
    }

    private typealias Process = (service: TelemetryLifecycleService, logger: TelemetryLogger)

    /// A started process with its own settings store and logger.
    private func start(_ store: Store) async throws -> Process {
        let logger = TelemetryLogger(configuration: .init(batchSize: 100), transport: transport, clock: clock)
        let service = TelemetryLifecycleService(
            settingsStore: settingsStore(store), transport: transport,
            configuration: .init(operationTimeout: .seconds(10), reconcileInterval: nil, clock: clock), logger: logger,
            scenarioStore: InMemoryTelemetryScenarioStore())
        await service.startup()
        await service.restorationFinished()
        try #require(service.status == .enabled)
        return (service, logger)
    }

    private func approve(_ store: Store) async throws {
        await settingsStore(store).save(TelemetryFixtures.approvedSettings)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
    }

    @Test(
        "After an opt-out in one process, another one's flush appends nothing, and its status changes without a call",
        .timeLimit(.minutes(10)), arguments: Store.allCases)
    func flush(_ store: Store) async throws {
        try await approve(store)
        let (first, second) = try await (start(store), start(store))
        for _ in 1...3 { second.logger.logEvent(name: "waiting") }
        await first.service.disableTelemetry()
        await second.logger.flush()
        try #require(transport.appendedEvents.isEmpty)
        #expect(second.logger.statistics.delivered == 0)
        await second.service.shows { $0.status == .disabled }
        second.logger.logEvent(name: "late")
        await second.logger.flush()
        #expect(second.logger.statistics.waiting == 0)
        #expect(transport.appendedEvents.isEmpty)
        #expect(try await transport.store.countEvents() == 0)
    }

    @Test("An opt-out in another process while this one reconciles turns it off, without an error", arguments: Store.allCases)
    func duringReconciliation(_ store: Store) async throws {
        try await approve(store)
        let process = try await start(store)
        let settings = settingsStore(store)
        await settings.changeDocument {
            $0.embeddedWork.add(.init(clientId: TelemetryFixtures.clientId))
        }
        transport.hold(.deleteEvents)
        async let result = process.service.reconcile()
        await transport.held(.deleteEvents)
        _ = await settings.recordOptOutInDocument { $0.optOut() }
        transport.release(.deleteEvents)
        #expect(await result == .allDisabled)
        #expect(process.service.status == .disabled)
        #expect(try await transport.store.fetchTelemetryClients().isEmpty)
    }

    @Test("With consent every event is sent, even after a change by another process", arguments: Store.allCases)
    func stillStands(_ store: Store) async throws {
        try await approve(store)
        let (first, second) = try await (start(store), start(store))
        for count in 1...3 {
            second.logger.logEvent(name: "event")
            await second.logger.flush()
            #expect(try await transport.store.countEvents() == count)
            await first.service.reconcile()
        }
        await first.service.disableTelemetry()
    }

    @Test("An opt-out and a new opt-in in one process stop the other from sending the first client's events")
    func otherClient() async throws {
        try await approve(.file)
        let (first, second) = try await (start(.file), start(.file))
        second.logger.logEvent(name: "waiting")
        await first.service.disableTelemetry()
        await first.service.enableTelemetry()
        await second.logger.flush()
        #expect(transport.appendedEvents.isEmpty)
        await second.service.reconcile()
        #expect(second.service.status == .pendingApproval)
        #expect(second.service.settings.clientIdentifier == first.service.settings.clientIdentifier)
        for process in [first, second] { await process.service.shutdown() }
    }

    /// Starts two processes, of which each registers a scenario and has stored an event.
    private func twoRecording(_ store: Store) async throws -> (first: Process, second: Process) {
        try await approve(store)
        let (first, second) = try await (start(store), start(store))
        for (process, scenario) in [(first, "App"), (second, "Extension")] {
            try await process.service.registerScenarios([scenario])
            process.logger.logEvent(name: scenario)
            await process.logger.flush()
        }
        try #require(try await transport.store.countEvents() == 2)
        return (first, second)
    }

    private func scenarioNames() async throws -> [String] {
        try await transport.store.fetchScenarios(forClient: TelemetryFixtures.clientId).map(\.scenarioName).sorted()
    }

    @Test(
        "endSession in one process deletes the scenario records and events of both; the other one goes on recording and restores its records",
        arguments: Store.allCases, [false, true])
    func endSession(_ store: Store, keepingEvents: Bool) async throws {
        let (first, second) = try await twoRecording(store)
        try await first.service.endSession(keepingEvents: keepingEvents)
        let kept = keepingEvents ? 2 : 0
        #expect(try await transport.store.countEvents() == kept)
        #expect(try await scenarioNames().isEmpty)
        #expect(first.service.scenarioStates.isEmpty)
        #expect(second.service.status == .enabled)
        #expect(second.service.scenarioStates == ["Extension": false])
        second.logger.logEvent(name: "later")
        await second.logger.flush()
        #expect(try await transport.store.countEvents() == kept + 1)
        await second.service.reconcile()
        #expect(try await scenarioNames() == ["Extension"])
        #expect(try await transport.store.fetchTelemetryClients().count == 1)
    }

    @Test("An opt-out in one process deletes everything of both, and nothing of another client", arguments: Store.allCases)
    func optOut(_ store: Store) async throws {
        let (first, second) = try await twoRecording(store)
        try await transport.store.createTelemetryClient(clientId: "other", isEnabled: true)
        try await transport.store.append([TelemetryEvent(clientId: "other", sessionId: "s", name: "theirs")])
        await first.service.disableTelemetry()
        // Its notification may wait for the pause after an earlier one.
        await second.service.reconcile()
        for service in [first.service, second.service] {
            #expect(service.status == .disabled)
            #expect(service.scenarioStates.isEmpty)
            #expect(service.settings == .defaults)
        }
        #expect(try await scenarioNames().isEmpty)
        #expect(try await transport.store.fetchTelemetryClients().map(\.clientId) == ["other"])
        #expect(try await transport.store.fetchAllEvents().map(\.name) == ["theirs"])
    }

    @Test(
        "Events that a killed process stored after another one's deletion are deleted",
        arguments: [false, true])
    func killed(isRestarted: Bool) async throws {
        try await approve(.file)
        var first = try await start(.file).service
        var other: FileTelemetrySettingsStore? = FileTelemetrySettingsStore(directory: root.url)
        await other?.beginUse(of: TelemetryFixtures.clientId)
        await first.disableTelemetry()
        #expect(first.status == .disabled)
        #expect(first.statusMessage?.contains("another process") == true)
        #expect(
            await FileTelemetryPendingWorkStore(directory: root.url).loadPendingWork().deletions.map(\.clientId) == [
                TelemetryFixtures.clientId
            ])
        // An append that was in progress.
        try await transport.store.append(TelemetryFixtures.events(1...3))
        await first.reconcile()
        #expect(first.pendingWork.deletions.count == 1)
        other = nil
        if isRestarted {
            first = TelemetryLifecycleService(
                settingsStore: settingsStore(.file), transport: transport,
                configuration: .init(operationTimeout: .seconds(10), reconcileInterval: nil, clock: clock),
                logger: MockTelemetryLogger(), scenarioStore: InMemoryTelemetryScenarioStore())
            await first.startup()
            await first.restorationFinished()
        } else {
            await first.reconcile()
        }
        #expect(try await transport.store.countEvents() == 0)
        #expect(await FileTelemetryPendingWorkStore(directory: root.url).loadPendingWork().isEmpty)
        #expect(first.statusMessage == nil)
    }
}
