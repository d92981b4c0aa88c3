import Foundation
import Observation
import Synchronization
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport

/// An app with telemetry: the service, and its stores and clocks, which survive the service.
@MainActor
final class TestHost {
    nonisolated static let clientId = TelemetryFixtures.clientId

    let transport = MockTelemetryTransport()
    let settingsStore: any TelemetrySettingsStoring
    let scenarioStore: any TelemetryScenarioStoring
    let pendingWorkStore: any TelemetryPendingWorkStoring
    let clock = ManualClock()
    /// The service's date, independent of the clock.
    let wall = Wall()
    let told = Diagnostics()
    private(set) var logger = MockTelemetryLogger()
    private(set) var service: TelemetryLifecycleService
    private let make: @MainActor (any TelemetryLogging) -> TelemetryLifecycleService

    /// - Parameters:
    ///   - settings: The settings of an earlier run.
    ///   - server: Whether the client's record exists, and is enabled.
    init(
        settings: TelemetrySettings = .defaults, server: Bool? = nil, identifiers: [String] = [clientId],
        settingsStore: any TelemetrySettingsStoring = InMemoryTelemetrySettingsStore(),
        scenarioStore: any TelemetryScenarioStoring = InMemoryTelemetryScenarioStore(),
        coordinator: TelemetrySettingsSyncCoordinator? = nil, subscriptions: (any TelemetrySubscriptionManaging)? = nil,
        interval: Duration? = nil, policy: TelemetryPolicy = TelemetryPolicy(), attributes: [String: String] = [:]
    ) async throws {
        self.settingsStore = settingsStore
        self.scenarioStore = scenarioStore
        let pendingWorkStore: any TelemetryPendingWorkStoring =
            settingsStore.pendingWorkStore ?? InMemoryTelemetryPendingWorkStore()
        self.pendingWorkStore = pendingWorkStore
        if settings != .defaults { await settingsStore.save(settings) }
        if let server { try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: server)) }
        var configuration = TelemetryLifecycleService.Configuration(
            operationTimeout: .seconds(10), reconcileInterval: interval, clock: clock,
            now: { [wall] in wall.date }, policy: policy, attributes: attributes)
        configuration.random = { 0.5 }
        configuration.diagnostics = { [told] in told.append($0) }
        let generator = FixedIdentifierGenerator(identifiers: identifiers)
        make = { [transport, configuration] logger in
            TelemetryLifecycleService(
                settingsStore: settingsStore, transport: transport, identifierGenerator: generator,
                configuration: configuration, logger: logger, syncCoordinator: coordinator,
                subscriptionManager: subscriptions, scenarioStore: scenarioStore, pendingWorkStore: pendingWorkStore)
        }
        service = make(logger)
    }

    /// A host whose client was approved in an earlier run, after startup.
    static func approved(
        identifiers: [String] = [clientId], settingsStore: any TelemetrySettingsStoring = InMemoryTelemetrySettingsStore(),
        subscriptions: (any TelemetrySubscriptionManaging)? = nil, coordinator: TelemetrySettingsSyncCoordinator? = nil,
        interval: Duration? = nil, scenarioStore: any TelemetryScenarioStoring = InMemoryTelemetryScenarioStore(),
        policy: TelemetryPolicy = TelemetryPolicy(), attributes: [String: String] = [:]
    ) async throws -> TestHost {
        let host = try await TestHost(
            settings: TelemetryFixtures.approvedSettings, server: true, identifiers: identifiers,
            settingsStore: settingsStore, scenarioStore: scenarioStore, coordinator: coordinator, subscriptions: subscriptions,
            interval: interval, policy: policy, attributes: attributes)
        await host.service.startup()
        await host.service.restorationFinished()
        return host
    }

    /// Replaces the process: a new service with the same stores.
    func restart() {
        logger = MockTelemetryLogger()
        service = make(logger)
    }

    /// Starts the service and waits for the end of its startup.
    func comeUp() async {
        await service.startup()
        await service.restorationFinished()
    }

    /// The stored pending work.
    var storedWork: TelemetryPendingWork { get async { await pendingWorkStore.loadPendingWork() } }

    // MARK: The viewer's side

    @discardableResult
    func command(
        _ action: TelemetrySchema.CommandAction, id: String = "command", scenario: String? = nil, age: TimeInterval = 0
    ) async throws -> TelemetryRecord.ID {
        let command = TelemetryFixtures.command(action, commandId: id, scenarioName: scenario, age: age)
        let created = try await transport.store.createCommand(command)
        return created.recordID ?? ""
    }

    /// Creates commands in one save. A reconciliation that a notification causes reads all of them, or none.
    func commands(_ commands: TelemetryCommandRecord...) async throws {
        let records = try commands.map { command in
            try command.applying(
                to: TelemetryRecord(recordType: TelemetryCommandRecord.recordType, recordID: .command(command.commandId)))
        }
        _ = try await transport.store.save(records, policy: .insert)
    }

    func status(of id: String = "command") async throws -> TelemetrySchema.CommandStatus? {
        try await transport.store.fetchCommand(recordID: .command(id))?.status
    }

    /// Reconciles after a change of the client's record.
    /// - Returns: whether the result is this one; or the second, because the service has followed the change's notification already.
    func reconciles(
        to result: TelemetryLifecycleService.ReconciliationResult, orAlready done: TelemetryLifecycleService.ReconciliationResult
    ) async -> Bool {
        let found = await service.reconcile()
        return found == result || found == done
    }

    func setServer(enabled: Bool) async throws {
        try await transport.store.updateTelemetryClient(recordID: .client(Self.clientId), isEnabled: enabled)
    }

    var client: TelemetryClientRecord? {
        get async throws { try await transport.store.fetchTelemetryClients(clientId: Self.clientId).first }
    }

    /// The states in the client's scenario records.
    func mirrored(_ clientId: String = clientId) async throws -> [String: Bool] {
        let records = try await transport.store.fetchScenarios(forClient: clientId)
        return Dictionary(records.map { ($0.scenarioName, $0.isEnabled) }, uniquingKeysWith: { first, _ in first })
    }

    /// Adds another client's record, scenario, command and event to the store.
    func addNeighbour(_ clientId: String) async throws {
        let store = transport.store
        try await store.createTelemetryClient(TelemetryFixtures.client(clientId, isEnabled: true))
        try await store.createScenarios([TelemetryFixtures.scenario("Shared", clientId: clientId)])
        try await store.createCommand(TelemetryFixtures.command(.enable, commandId: "of-\(clientId)", clientId: clientId))
        try await store.append([TelemetryFixtures.event(clientId: clientId, sessionId: "session-\(clientId)")])
    }

    /// The number of a client's records and events in the store.
    func belongings(of clientId: String) async throws -> Int {
        let store = transport.store
        var count = try await store.countEvents(matching: .init(clientId: clientId))
        for type in [
            TelemetrySchema.clientRecordType, TelemetrySchema.scenarioRecordType, TelemetrySchema.commandRecordType,
        ] {
            count += try await store.records(matching: .init(recordType: type, conditions: ["clientid": .string(clientId)])).count
        }
        return count
    }
}

/// A date that a test sets.
final class Wall: Sendable {
    private let value = Mutex(TelemetryFixtures.date)
    var date: Date {
        get { value.withLock(\.self) }
        set { value.withLock { $0 = newValue } }
    }
}

/// Collects the library's diagnostics.
final class Diagnostics: Sendable {
    private let told = Mutex<[TelemetryDiagnostic]>([])
    func append(_ diagnostic: TelemetryDiagnostic) { told.withLock { $0.append(diagnostic) } }
    var all: [TelemetryDiagnostic] { told.withLock(\.self) }
}

extension TelemetryLifecycleService {
    /// Returns once the settings have the opt-out.
    func optedOut() async { await shows { $0.settings == .defaults } }

    /// Returns once the condition, which reads observed properties, holds.
    func shows(_ condition: @MainActor (TelemetryLifecycleService) -> Bool) async {
        while !condition(self) {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = condition(self)
                } onChange: {
                    continuation.resume()
                }
            }
        }
    }
}

extension TelemetryLifecycleService.Status {
    /// The message of an error; nil for any other status.
    var errorMessage: String? { if case .error(let message) = self { message } else { nil } }
}
