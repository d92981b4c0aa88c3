import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import TelemetryUI
import Testing

@MainActor
struct TelemetryToggleModelTests {
    private let transport = MockTelemetryTransport()
    private let service: TelemetryLifecycleService
    private let model: TelemetryToggleModel

    init() {
        service = TelemetryLifecycleService(
            settingsStore: InMemoryTelemetrySettingsStore(), transport: transport, configuration: .init(clock: ManualClock()),
            logger: MockTelemetryLogger(), scenarioStore: InMemoryTelemetryScenarioStore())
        model = TelemetryToggleModel(lifecycle: service)
    }

    @Test("The toggle opts in and out")
    func toggle() async {
        await model.start()
        #expect(!model.isRequested && model.clientCode == nil)
        model.isRequested = true
        await model.finished()
        #expect(model.isRequested && model.clientCode != nil)
        #expect(model.status == TelemetryStatusDisplay(.pendingApproval))
        model.isRequested = false
        await model.finished()
        #expect(!model.isRequested && model.clientCode == nil)
        await service.shutdown()
    }

    @Test("After quick changes the last one counts, and is shown before the service has answered", arguments: [false, true])
    func quickTouches(last: Bool) async {
        await model.start()
        // Another operation is running, so that no change is applied at once.
        transport.hold(.saveRecords)
        model.isRequested = true
        await transport.held(.saveRecords)
        for wish in last ? [false, true] : [false, true, false] {
            model.isRequested = wish
            #expect(model.isRequested == wish)
        }
        transport.release(.saveRecords)
        await model.finished()
        #expect(model.isRequested == last)
        #expect(service.settings.telemetryRequested == last)
        await service.shutdown()
    }

    @Test("A scenario that is switched on and off before the service has answered is off")
    func quickOverride() async throws {
        await model.start()
        await service.enableTelemetry()
        try await service.registerScenarios(["Network"])
        transport.hold(.saveRecords)
        model[scenario: "Network"] = true
        await transport.held(.saveRecords)
        model[scenario: "Network"] = false
        #expect(!model[scenario: "Network"])
        transport.release(.saveRecords)
        await model.finished()
        #expect(service.scenarioStates["Network"] == false)
        await service.shutdown()
    }

    @Test("A change that the service refuses is no longer shown")
    func refused() async throws {
        await model.start()
        model[scenario: ""] = true
        #expect(model[scenario: ""])
        await model.finished()
        #expect(!model[scenario: ""])
    }

    @Test("A service that the host has started is not started again by the view")
    func startup() async {
        let settings = InMemoryTelemetrySettingsStore()
        await settings.save(TelemetrySettings(telemetryRequested: true, clientIdentifier: "k7m2pqx9ab"))
        let service = TelemetryLifecycleService(
            settingsStore: settings, transport: transport, configuration: .init(clock: ManualClock()),
            logger: MockTelemetryLogger(), scenarioStore: InMemoryTelemetryScenarioStore())
        await service.startup()
        await service.restorationFinished()
        #expect(!transport.calls.isEmpty)
        transport.forgetCalls()
        await TelemetryToggleModel(lifecycle: service).start()
        await service.restorationFinished()
        #expect(transport.calls.isEmpty)
        await service.shutdown()
    }

    @Test("A failure is shown until the next change")
    func failure() async throws {
        await model.start()
        model[scenario: ""] = true
        await model.finished()
        #expect(model.failure?.isEmpty == false)
        try await service.registerScenarios(["Network"])
        model[scenario: "Network"] = true
        await model.finished()
        #expect(service.scenarioStates["Network"] == true)
        #expect(model.scenarios.map(\.name).contains("Network"))
        #expect(model.failure == nil)
    }

    @Test("A scenario that the user forbids is off, until it is allowed again")
    func permission() async throws {
        await model.start()
        await service.enableTelemetry()
        try await service.registerScenarios(["Network"])
        try await service.setScenarioEnabled("Network", enabled: true)
        #expect(model[allowed: "Network"])
        model[allowed: "Network"] = false
        #expect(!model[allowed: "Network"], "shown before the service has answered")
        await model.finished()
        #expect(!model[allowed: "Network"] && !model[scenario: "Network"])
        #expect(model.scenarios.map(\.isForbidden) == [true])
        #expect(service.deniedScenarios == ["Network"])
        model[allowed: "Network"] = true
        await model.finished()
        #expect(model[scenario: "Network"] && service.deniedScenarios.isEmpty)
        await service.shutdown()
    }

    @Test("The pause can be set and ended, also one that a viewer set")
    func pause() async throws {
        await model.start()
        await service.enableTelemetry()
        model.isPaused = true
        #expect(model.isPaused && !model.isPausedByViewer)
        await model.finished()
        #expect(service.isPaused)
        model.isPaused = false
        await model.finished()
        #expect(!service.isPaused)
        let clientId = try #require(model.clientCode)
        try await transport.store.createCommand(TelemetryCommandRecord(clientId: clientId, action: .pause))
        await service.reconcile()
        #expect(model.isPaused && model.isPausedByViewer)
        model.isPaused = false
        await model.finished()
        #expect(!model.isPaused && !model.isPausedByViewer)
        await service.shutdown()
    }

    @Test("What viewers did is shown, the newest ten actions")
    func viewerActions() async throws {
        await model.start()
        await service.enableTelemetry()
        let clientId = try #require(model.clientCode)
        for number in 1...11 {
            try await transport.store.createCommand(
                TelemetryCommandRecord(clientId: clientId, action: .enable, issuer: "viewer \(number)"))
            await service.reconcile()
        }
        #expect(model.viewerActions.count == 10 && model.viewerActions.allSatisfy { $0.action == .enable })
        #expect(model.viewerActions.first?.issuer == "viewer 11")
        await service.shutdown()
    }

    @Test("Every action of a viewer has a text of its own")
    func actions() {
        let keys = TelemetrySchema.CommandAction.allCases.map { TelemetryViewerActionDisplay($0).textKey }
        #expect(Set(keys).count == keys.count)
    }

    @Test("What was sent today is shown, unless the logger does not count it")
    func sent() async throws {
        #expect(model.sentEvents == nil && model.sentSize == nil)
        let settings = InMemoryTelemetrySettingsStore()
        await settings.save(TelemetryFixtures.approvedSettings)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        let service = TelemetryLifecycleService(
            settingsStore: settings, transport: transport, configuration: .init(clock: ManualClock()),
            logger: TelemetryLogger(transport: transport, clock: ManualClock()),
            scenarioStore: InMemoryTelemetryScenarioStore())
        await service.startup()
        await service.restorationFinished()
        let model = TelemetryToggleModel(lifecycle: service)
        #expect(model.sentEvents == "0")
        for _ in 1...2 { service.telemetryLogger.logEvent(name: "event") }
        await service.telemetryLogger.flush()
        #expect(model.sentEvents == "2")
        #expect(model.sentSize?.contains(/[1-9]/) == true)
        await service.shutdown()
    }

    @Test(
        "A scenario shows its level, and who turned it on",
        arguments: [
            (TelemetryScenarioState(isEnabled: true, level: .info, source: .viewer), "level.info", "source.viewer" as String?),
            (.init(isEnabled: true, source: .host), "level.diagnostic", "source.host"),
            (.init(isEnabled: true, source: .rule("r")), "level.diagnostic", "source.rule"),
            (.init(isEnabled: true), "level.diagnostic", nil),
        ])
    func display(state: TelemetryScenarioState, level: String, source: String?) {
        let display = TelemetryScenarioDisplay(state)
        #expect(display.levelKey == level && display.sourceKey == source)
    }

    @Test(
        "Every status has a text and a symbol, and says whether to show progress",
        arguments: [
            (TelemetryLifecycleService.Status.idle, "status.idle", false), (.loading, "status.loading", true),
            (.syncing, "status.syncing", true), (.enabled, "status.enabled", false), (.disabled, "status.disabled", false),
            (.pendingApproval, "status.pendingApproval", false), (.error("x"), "status.error", false),
        ])
    func statuses(status: TelemetryLifecycleService.Status, key: String, isBusy: Bool) {
        let display = TelemetryStatusDisplay(status)
        #expect(display.textKey == key)
        #expect(display.isBusy == isBusy)
        #expect(!display.symbol.isEmpty)
    }
}
