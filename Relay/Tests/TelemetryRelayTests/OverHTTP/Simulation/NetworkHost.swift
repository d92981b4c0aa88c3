import Foundation
import Synchronization
import TelemetryHTTP
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence

/// A host with its own files that uses the relay over the network.
@MainActor
final class NetworkHost {
    let number: Int
    private(set) var service: TelemetryLifecycleService
    let tally = Tally()
    /// The markers of events that must not be recorded.
    private(set) var forbidden: Set<String> = []
    /// Whether the user opted in.
    private(set) var isWanted = false
    private(set) var identifiers: Set<String> = []
    private let make: @MainActor () -> TelemetryLifecycleService
    private var logged = 0

    /// The markers of the events that the logger accepted since the last opt-in, in order.
    final class Tally: Sendable {
        private let markers = Mutex<[String]>([])
        var accepted: [String] { markers.withLock(\.self) }
        func accept(_ marker: String) { markers.withLock { $0.append(marker) } }
        func reset() { markers.withLock { $0 = [] } }
    }

    init(number: Int, directory: URL, relay: URL) {
        self.number = number
        let directory = directory.appending(path: "host\(number)")
        make = { [tally] in
            var logging = TelemetryLogger.Configuration(
                flushInterval: 3_600, maxRetries: 0, spoolDirectory: directory.appending(path: "spool"), shutdownDeadline: 2)
            logging.process = { event in
                tally.accept(event.property1 ?? "")
                return true
            }
            return TelemetryLifecycleService(
                settingsStore: FileTelemetrySettingsStore(directory: directory),
                transport: HTTPTelemetryTransport(
                    url: relay, credentials: .host(token: nil, secrets: FileTelemetrySecretStore(directory: directory)),
                    configuration: .init(minimumReconnectDelay: .milliseconds(1), maximumReconnectDelay: .milliseconds(50))),
                configuration: .init(loggerConfiguration: logging, reconcileInterval: nil),
                scenarioStore: FileTelemetryScenarioStore(directory: directory),
                pendingWorkStore: FileTelemetryPendingWorkStore(directory: directory))
        }
        service = make()
    }

    var client: String? { service.settings.clientIdentifier }

    func start() async {
        await service.startup()
        await service.restorationFinished()
        try? await service.registerScenarios(["A", "V", "Never"])
        noteIdentifier()
    }

    /// Ends the program and starts it again.
    func restart() async {
        await service.shutdown()
        service = make()
        await start()
    }

    func optIn() async {
        if !isWanted { tally.reset() }
        isWanted = true
        await service.enableTelemetry()
        noteIdentifier()
    }

    func optOut() async {
        isWanted = false
        await service.disableTelemetry()
    }

    func reconcile() async {
        await service.reconcile()
        noteIdentifier()
    }

    func flush() async { await service.telemetryLogger.flush() }

    func log(_ scenario: String?) {
        logged += 1
        let marker = "\(number)-\(logged)"
        if !isWanted || scenario == "Never" { forbidden.insert(marker) }
        service.telemetryLogger.logEvent(name: "e", scenario: scenario, level: .info, property1: marker, attributes: [:])
    }

    private func noteIdentifier() { if let client { identifiers.insert(client) } }
}
