import TelemetryLifecycle
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
        #expect(model.scenarios.contains("Network"))
        #expect(model.failure == nil)
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
