import Foundation
import Observation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport
import ViewerKit

/// A host whose events are the lines of standard input.
@MainActor
final class PipeClient {
    /// The number of lines, or bytes, that are logged before waiting for their delivery. Both are far below the logger's
    /// capacity.
    private static let maximumPending = (lines: 1_000, bytes: 4 << 20)
    /// How long to wait before retrying a store that accepts no events.
    private static let pause = Duration.seconds(1)

    private let service: TelemetryLifecycleService
    private let scenario: String
    private let parser: LineParser
    private let hold: Bool
    private let console: Console
    private let store: StoreLocation
    private let states: AsyncStream<Void>
    private let stateChanged: AsyncStream<Void>.Continuation
    private var lastMessage = ""
    private var lines = 0
    private var recorded = 0

    init(
        transport: any TelemetryTransporting, state: PipeState, scenario: String, parser: sending LineParser, hold: Bool,
        console: Console, store: StoreLocation
    ) {
        self.scenario = scenario
        self.parser = parser
        self.hold = hold
        self.console = console
        self.store = store
        (states, stateChanged) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let configuration = TelemetryLifecycleService.Configuration(
            loggerConfiguration: .init(
                batchSize: 400, flushInterval: 0.5, spoolDirectory: state.directory.appendingPathComponent("spool"),
                process: Self.setStatedDate, diagnostics: { console.note("telemetry: \($0.message.visible)") }))
        service = TelemetryLifecycleService(
            settingsStore: FileTelemetrySettingsStore(directory: state.directory), transport: transport,
            configuration: configuration, scenarioStore: FileTelemetryScenarioStore(directory: state.directory))
    }

    /// Runs until the input ends or the task is cancelled.
    func run() async throws {
        await service.startup()
        await service.restorationFinished()
        try await service.registerScenarios([scenario])
        if !service.settings.telemetryRequested { await service.enableTelemetry() }
        if case .error(let message) = service.status { throw ToolFailure(.unavailable, message) }
        observeChanges()
        if hold { await untilOn() }
        let logger = service.telemetryLogger
        await InputLines().forEach { batch in await log(batch, logger) }
        try Task.checkCancellation()
    }

    /// Delivers the pending events. The session stays open, because ending it would delete events that may not be read yet.
    func finish() async {
        await service.telemetryLogger.shutdown()
        let passed = lines - recorded
        console.note(
            "\(counted(lines, "line")): \(recorded.grouped) recorded"
                + (passed > 0 ? ", \(passed.grouped) ignored while the scenario was disabled." : "."))
    }

    private func log(_ batch: [String], _ logger: any TelemetryLogging) async {
        var rest = batch[...]
        while !rest.isEmpty {
            var bytes = 0
            let next = rest.prefix(Self.maximumPending.lines).prefix { line in
                defer { bytes += line.utf8.count }
                return bytes < Self.maximumPending.bytes
            }
            rest = rest.dropFirst(next.count)
            record(next, logger)
            // The next lines are read once these are in the store: a fast writer is blocked, and nothing is lost.
            await logger.flush()
            await untilDelivered(logger)
        }
    }

    private func record(_ batch: ArraySlice<String>, _ logger: any TelemetryLogging) {
        lines += batch.count
        // Skips parsing while the scenario is disabled; the logger still decides whether an event is recorded.
        for line in batch where service.scenarioStates[scenario] == true {
            let event = parser.parse(line)
            var isRecorded = false
            logger.logEvent(
                name: event.name, scenario: scenario, level: event.level,
                property1: {
                    isRecorded = true
                    return event.text
                }(), attributes: Self.attributes(of: event))
            if isRecorded { recorded += 1 }
        }
    }

    /// Returns when no events are pending. While the store accepts no events, no lines are read, so none are dropped.
    private func untilDelivered(_ logger: any TelemetryLogging) async {
        guard let logger = logger as? TelemetryLogger, logger.statistics.waiting > 0 else { return }
        console.note("The store accepts no events; reading is paused until it does. To find the cause: telemetry doctor")
        while logger.statistics.waiting > 0, (try? await Task.sleep(for: Self.pause)) != nil { await logger.flush() }
        if logger.statistics.waiting == 0 { console.note("The store accepts events again.") }
    }

    private var isOn: Bool { service.status == .enabled && service.scenarioStates[scenario] == true }

    private func untilOn() async {
        if isOn { return }
        for await _ in states where isOn { return }
    }

    private func observeChanges() {
        withObservationTracking {
            report()
        } onChange: { [weak self] in
            Task { @MainActor in self?.observeChanges() }
        }
    }

    private func report() {
        let client = service.settings.clientIdentifier?.visible ?? ""
        let text =
            switch (service.status, service.scenarioStates[scenario] == true) {
            case (.pendingApproval, _): "Client \(client) is pending approval: telemetry approve \(client) \(store.options)"
            case (.enabled, false):
                "Client \(client) is approved, \(scenario.visible) is disabled: "
                    + "telemetry enable \(client) \(scenario.visible) \(store.options)"
            case (.enabled, true): "Client \(client) is approved, \(scenario.visible) is enabled: recording lines."
            case (.disabled, _): "A viewer ended the telemetry of this client; lines are not recorded."
            case (.error(let message), _): message.visible
            default: ""
            }
        stateChanged.yield()
        guard !text.isEmpty, text != lastMessage else { return }
        lastMessage = text
        console.note(text)
    }
}
