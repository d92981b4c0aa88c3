import ArgumentParser
import Foundation
import Measure
import Peers
import TelemetryHTTP
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence

/// A separate process that is a host over a relay and prints when its gate opened and when it began to flush.
struct RelayHost: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay-host", abstract: "The other process of the suite relay.", shouldDisplay: false)
    static let scenario = "Work"

    @Argument var relay: String
    @Argument var state: String

    @MainActor
    func run() async throws {
        guard let url = URL(string: relay) else { throw ValidationError("not a URL: \(relay)") }
        let directory = URL(fileURLWithPath: state)
        let transport = HTTPTelemetryTransport(
            url: url, credentials: .host(token: nil, secrets: FileTelemetrySecretStore(directory: directory)))
        let logger = GateReporter(TelemetryLogger(transport: transport))
        let service = TelemetryLifecycleService(
            settingsStore: FileTelemetrySettingsStore(directory: directory), transport: transport, logger: logger,
            scenarioStore: FileTelemetryScenarioStore(directory: directory))
        await service.startup()
        try await service.registerScenarios([Self.scenario])
        await service.enableTelemetry()
        Self.say("client \(service.settings.clientIdentifier ?? "")")
        for await line in Self.input() {
            let start = now()
            logger.logEvent(
                name: line, scenario: Self.scenario, level: .info, property1: SampleEvents.property(start), attributes: [:])
            await logger.flush()
            Self.say("flushed \(line) \(start)")
        }
        await service.shutdown()
    }

    static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    private static func input() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }.start()
        return stream
    }
}

/// A logger that prints when its gate has changed.
private actor GateReporter: TelemetryLogging {
    private let logger: TelemetryLogger
    private var isRecording = false
    private var isOpen = false

    init(_ logger: TelemetryLogger) { self.logger = logger }

    nonisolated var currentSessionId: String { logger.currentSessionId }

    nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue]
    ) {
        logger.logEvent(name: name, scenario: scenario, level: level, property1: property1(), attributes: attributes())
    }

    func setClientIdentifier(_ clientId: String?) async { await logger.setClientIdentifier(clientId) }

    func updateScenarioStates(_ states: [String: Bool]) async {
        await updateScenarios(states.mapValues { TelemetryScenarioState(isEnabled: $0) })
    }

    func updateScenarios(_ states: [String: TelemetryScenarioState]) async {
        await logger.updateScenarios(states)
        let time = now()
        let isOpen = states[RelayHost.scenario]?.isEnabled == true
        guard isOpen != self.isOpen else { return }
        self.isOpen = isOpen
        RelayHost.say("gate \(isOpen ? "open" : "closed") \(time)")
    }

    func activate(enabled: Bool) async {
        await logger.activate(enabled: enabled)
        report(enabled)
    }

    func setEnabled(_ enabled: Bool) async {
        await logger.setEnabled(enabled)
        report(enabled)
    }

    private func report(_ enabled: Bool) {
        if enabled, !isRecording { RelayHost.say("recording") }
        isRecording = enabled
    }

    func flush() async { await logger.flush() }
    func shutdown() async { await logger.shutdown() }
}
