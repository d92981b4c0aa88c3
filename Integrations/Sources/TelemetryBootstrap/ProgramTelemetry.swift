import Logging
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetrySwiftLog
import TelemetryTransport

/// The telemetry of a program, from its start to its end.
@MainActor
final class ProgramTelemetry {
    /// Returns the handler of a label: it writes to the console and to the label's scenario.
    nonisolated let handler: @Sendable (_ label: String) -> any LogHandler
    /// How long the operation waits for the scenarios' states if the store hangs.
    private nonisolated static let longestDelay = Duration.seconds(1)

    private let service: TelemetryLifecycleService
    private let logger: Logger
    private nonisolated let clock: any Clock<Duration>

    /// - Parameters:
    ///   - settingsStore: Keeps the settings; nil for the platform's default.
    ///   - scenarioStore: Keeps which scenarios are on; nil for the platform's default.
    ///   - console: Returns the handler of a label without telemetry.
    init(
        settingsStore: (any TelemetrySettingsStoring)? = nil, transport: any TelemetryTransporting,
        configuration: TelemetryLifecycleService.Configuration, scenarioStore: (any TelemetryScenarioStoring)? = nil,
        console: @escaping @Sendable (_ label: String) -> any LogHandler
    ) {
        var configuration = configuration
        if configuration.diagnostics == nil { configuration.diagnostics = Self.diagnostics(at: console) }
        logger = Self.logger(console)
        clock = configuration.clock
        service = TelemetryLifecycleService(
            settingsStore: settingsStore, transport: transport, configuration: configuration, scenarioStore: scenarioStore)
        // A service makes a logger of this type, unless it gets another one.
        if let recorder = service.telemetryLogger as? TelemetryLogger {
            handler = { TelemetryMultiplexLogHandler([console($0), TelemetryLogHandler(label: $0, logger: recorder)]) }
        } else {
            handler = console
        }
    }

    /// A logger for messages about telemetry, which go to the console only.
    nonisolated static func logger(_ console: (_ label: String) -> any LogHandler) -> Logger {
        Logger(label: "telemetry", factory: console)
    }

    /// A handler that writes diagnostics to the console.
    nonisolated static func diagnostics(at console: (_ label: String) -> any LogHandler) -> TelemetryDiagnosticsHandler {
        let logger = logger(console)
        return { logger.warning("\($0.message)", metadata: ["kind": "\($0.kind.rawValue)"]) }
    }

    /// Runs the operation beside the set-up, and then delivers what it logged.
    nonisolated func run<Success: Sendable, Failure: Error>(
        _ scenarios: [String], operation: @concurrent @Sendable () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let (registration, continuation) = AsyncStream.makeStream(of: Never.self)
        let setUp = Task {
            await register(scenarios)
            continuation.finish()
            await start()
        }
        // The states that are kept are known before the store is called, so the first messages are recorded also if it hangs.
        let timer = Task { [clock] in
            try? await clock.sleep(for: Self.longestDelay)
            continuation.finish()
        }
        for await _ in registration {}
        timer.cancel()
        let result: Result<Success, Failure>
        do throws(Failure) {
            result = .success(try await operation())
        } catch {
            result = .failure(error)
        }
        await setUp.value
        await service.shutdown()
        return try result.get()
    }

    private func register(_ scenarios: [String]) async {
        do {
            try await service.registerScenarios(scenarios)
        } catch {
            logger.warning("The scenarios could not be registered.", error: error)
        }
    }

    private func start() async {
        await service.startup()
        await service.restorationFinished()
        if !service.settings.telemetryRequested { await service.enableTelemetry() }
        logger.info(
            "Telemetry is requested.",
            metadata: ["client": "\(service.settings.clientIdentifier ?? "none")", "status": "\(service.status)"])
    }
}
