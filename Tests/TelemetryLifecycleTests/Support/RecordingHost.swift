import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport

/// An app whose policy records the scenarios "Net" and "Files", with the library's logger and files.
@MainActor
final class RecordingHost {
    let transport = MockTelemetryTransport()
    let wall = Wall()
    private(set) var logger: TelemetryLogger
    private(set) var service: TelemetryLifecycleService
    private var directory = TemporaryDirectory()
    private let settings = InMemoryTelemetrySettingsStore()
    private let scenarios = InMemoryTelemetryScenarioStore()
    private let policy: TelemetryPolicy
    private var captures = 0

    init(isApproved: Bool = true, maximumLevel: TelemetryLogLevel = .diagnostic) async throws {
        policy = TelemetryPolicy(maximumLevel: maximumLevel, recordedScenarios: ["Net", "Files"])
        var stored = TelemetryFixtures.approvedSettings
        stored.telemetrySendingEnabled = isApproved
        await settings.save(stored)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: isApproved))
        (logger, service) = Self.start(
            in: directory.url, transport: transport, wall: wall, settings: settings, scenarios: scenarios, policy: policy)
        await comeUp()
    }

    private static func start(
        in directory: URL, transport: MockTelemetryTransport, wall: Wall, settings: InMemoryTelemetrySettingsStore,
        scenarios: InMemoryTelemetryScenarioStore, policy: TelemetryPolicy
    ) -> (TelemetryLogger, TelemetryLifecycleService) {
        let logger = TelemetryLogger(
            configuration: .init(spoolDirectory: directory), transport: transport, clock: ManualClock(), now: { wall.date })
        let service = TelemetryLifecycleService(
            settingsStore: settings, transport: transport,
            configuration: .init(reconcileInterval: nil, clock: ManualClock(), now: { wall.date }, policy: policy),
            logger: logger, scenarioStore: scenarios, pendingWorkStore: InMemoryTelemetryPendingWorkStore())
        return (logger, service)
    }

    private func comeUp() async {
        await service.startup()
        await service.restorationFinished()
    }

    /// Starts the app again with a copy of its files, as a process finds them after a crash.
    func crash() async throws {
        let copy = TemporaryDirectory()
        try FileManager.default.copyItem(at: directory.url, to: copy.url)
        await service.shutdown()
        directory = copy
        (logger, service) = Self.start(
            in: directory.url, transport: transport, wall: wall, settings: settings, scenarios: scenarios, policy: policy)
        await comeUp()
    }

    func record(_ scenario: String, id: String, lookback: TimeInterval? = nil) -> TelemetryCommandRecord {
        TelemetryCommandRecord(
            commandId: id, clientId: TelemetryFixtures.clientId, action: .captureScenario, scenarioName: scenario,
            created: wall.date, lookback: lookback)
    }

    /// Creates a pending command.
    func send(_ scenario: String, id: String, lookback: TimeInterval? = nil) async throws {
        _ = try await transport.store.createCommand(record(scenario, id: id, lookback: lookback))
    }

    func command(_ id: String) async throws -> TelemetryCommandRecord? {
        try await transport.store.fetchCommand(recordID: .command(id))
    }

    /// Sends the command, and returns it as the host ended it.
    func capture(_ scenario: String, lookback: TimeInterval? = nil) async throws -> TelemetryCommandRecord? {
        captures += 1
        let id = "capture \(captures)"
        try await send(scenario, id: id, lookback: lookback)
        await service.reconcile()
        return try await command(id)
    }

    /// The client's events in the store, after all that wait are delivered.
    var stored: [TelemetryEvent] {
        get async throws {
            await logger.flush()
            return try await transport.store.events(matching: .all, after: nil, limit: .max).events
        }
    }

    /// Whether one of the logger's files contains the text.
    func leavesOnDisk(_ text: String) -> Bool {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: directory.url.path)) ?? []
        return names.contains { name in
            // A directory has no content.
            let content = try? Data(contentsOf: directory.url.appending(path: name))
            return content?.range(of: Data(text.utf8)) != nil
        }
    }
}
