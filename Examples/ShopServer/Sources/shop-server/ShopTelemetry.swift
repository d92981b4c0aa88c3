import Foundation
import Logging
import Observation
import Shop
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetrySwiftLog
import TelemetryTracing
import TelemetryTransport

/// Everything that the server needs from LiveTelemetry.
@MainActor
final class ShopTelemetry {
    let service: TelemetryLifecycleService
    private var shown = ""

    /// Sets logging up: messages go to standard error from level error on, and to their area's scenario while it is on.
    init(transport: any TelemetryTransporting, state: URL) {
        // A number with a typing error is recognized by its name only.
        var redaction = TelemetryRedaction.standard
        redaction.attributes["card"] = .remove
        let logger = TelemetryLogger(
            configuration: .init(
                batchSize: 200, flushInterval: 0.5, spoolDirectory: state.appending(path: "spool"), redaction: redaction),
            transport: transport)
        let trace = TelemetryTraceSource.propagated.metadataProvider
        LoggingSystem.bootstrap { label in
            var console = StreamLogHandler.standardError(label: label)
            console.logLevel = .error
            return TelemetryMultiplexLogHandler([
                console, TelemetryLogHandler(label: label, logger: logger, scenario: nil, metadataProvider: trace),
            ])
        }
        service = TelemetryLifecycleService(
            settingsStore: FileTelemetrySettingsStore(directory: state), transport: transport, logger: logger,
            scenarioStore: FileTelemetryScenarioStore(directory: state))
    }

    /// Restores the operator's earlier consent, or applies a new decision.
    func start(_ consent: ShopServerCommand.Consent?) async throws {
        await service.startup()
        await service.restorationFinished()
        try await service.registerScenarios(Area.allCases.map(\.rawValue))
        showChanges()
        switch consent {
        case .optIn: await service.enableTelemetry()
        case .optOut: await service.disableTelemetry()
        case nil: break
        }
    }

    /// Prints the state whenever it changes.
    private func showChanges() {
        withObservationTracking {
            let states = service.scenarioStates.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value ? "on" : "off")" }
            let client = service.settings.clientIdentifier.map { ", client \($0)" } ?? ""
            let paused = service.isPaused ? ", paused" : ""
            let text = "[telemetry \(service.status)\(client)\(paused): \(states.joined(separator: ", "))]"
            if text != shown { Output.line(text) }
            shown = text
        } onChange: { [weak self] in
            Task { @MainActor in self?.showChanges() }
        }
    }
}
