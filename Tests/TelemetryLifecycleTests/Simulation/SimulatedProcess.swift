import Foundation
import Synchronization
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

/// What a device keeps whatever happens to the process.
@MainActor
final class SimulatedDevice {
    let number: Int
    var settings = TelemetrySettings.defaults
    var scenarioStates: [String: Bool] = [:]
    /// Every identifier that this device ever had.
    var identifiers: [String] = []
    /// What the person decided last, and whether the call that says so has returned.
    var consent: (isWanted: Bool, hasReturned: Bool, serial: Int) = (false, true, 0)
    var process: SimulatedProcess?

    init(number: Int) { self.number = number }
}

/// One run of the app on a device. Once it is dead, nothing that it does has an effect any more.
@MainActor
final class SimulatedProcess {
    let device: SimulatedDevice
    let world: SimulatedWorld
    let logger: SimulatedLogger
    private(set) var service: TelemetryLifecycleService?
    private(set) var isDead = false
    nonisolated let followers = Mutex<[AsyncStream<TelemetryNotification>.Continuation]>([])
    var hasRegistered = false
    /// The host's calls that have not returned.
    var openCalls = 0

    init(device: SimulatedDevice, world: SimulatedWorld) {
        self.device = device
        self.world = world
        logger = SimulatedLogger()
        logger.process = self
        var configuration = TelemetryLifecycleService.Configuration(
            operationTimeout: .seconds(10), reconcileInterval: .seconds(60), clock: world.clock,
            now: { [clock = world.clock] in SimulatedWorld.date(of: clock) })
        configuration.random = { 0.5 }
        configuration.executor = world.executor
        service = TelemetryLifecycleService(
            settingsStore: SimulatedSettingsStore(process: self), transport: SimulatedTransport(process: self),
            identifierGenerator: SimulatedIdentifiers(device: device.number, count: device.identifiers.count),
            configuration: configuration, logger: logger, scenarioStore: SimulatedScenarioStore(process: self))
    }

    /// A call of the host, in a task of its own.
    func call(_ body: @escaping @MainActor (TelemetryLifecycleService) async -> Void) {
        guard let service else { return }
        openCalls += 1
        Task(executorPreference: world.executor) {
            await body(service)
            await self.returned()
        }
    }

    private func returned() { openCalls -= 1 }

    func die() {
        isDead = true
        service = nil
        logger.process = nil
        for follower in followers.withLock({ $0 }) { follower.finish() }
        world.abandonGates(of: self)
    }

    func notify(_ notification: TelemetryNotification) {
        for follower in followers.withLock({ $0 }) { follower.yield(notification) }
    }
}

/// Identifiers that tell the device and how many it had before.
final class SimulatedIdentifiers: TelemetryIdentifierGenerating {
    private let device: Int
    private let next: Mutex<Int>

    init(device: Int, count: Int) {
        self.device = device
        next = Mutex(count)
    }

    func generateIdentifier() -> String {
        next.withLock { next in
            next += 1
            return "device\(device)run\(next)"
        }
    }
}

/// A process's way to the server: every call waits before its effect, and often after it, until the simulation lets it go.
@MainActor
final class SimulatedTransport: TelemetryTransporting {
    private let process: SimulatedProcess
    private var server: SimulatedServer { process.world.server }

    init(process: SimulatedProcess) { self.process = process }

    private func call<Value>(_ what: String, _ effect: () throws -> Value) async throws -> Value {
        let fate = await process.world.gate(process, what)
        switch fate {
        case .dead: throw CancellationError()
        case .failBefore: throw Self.unavailable
        case .go, .failAfter: break
        }
        let value = try effect()
        if fate == .failAfter { throw Self.unavailable }
        if process.world.isAnswerSlow() {
            switch await process.world.gate(process, "\(what), answer", isAnswer: true) {
            case .dead: throw CancellationError()
            default: break
            }
        }
        return value
    }

    private static var unavailable: TelemetryTransportError {
        TelemetryTransportError(code: .unavailable, message: "The simulation said so.")
    }

    func append(_ events: [TelemetryEvent]) async throws { try await call("append") { server.append(events) } }
    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        throw Self.unavailable
    }
    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int { server.events.count(where: filter.matches) }
    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        try await call("delete events") { server.deleteEvents(filter) }
    }
    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy) async throws -> [TelemetryRecord] {
        try await call("save \(records.map(\.recordID.recordName))") { try server.save(records, policy: policy) }
    }
    func record(withID id: TelemetryRecord.ID) async throws -> TelemetryRecord? {
        try await call("read \(id)") { server.records[id] }
    }
    func records(matching query: TelemetryRecordQuery) async throws -> [TelemetryRecord] {
        try await call("query \(query.recordType)") { server.records(matching: query) }
    }
    func deleteRecords(withIDs ids: [TelemetryRecord.ID]) async throws -> Int {
        try await call("delete \(ids.map(\.recordName))") { server.delete(ids) }
    }
    func save(_ subscription: TelemetrySubscription) async throws -> TelemetrySubscription.ID {
        try await call("subscribe") { server.save(subscription) }
        return subscription.id
    }
    func subscription(withID id: TelemetrySubscription.ID) async throws -> TelemetrySubscription? {
        try await call("read subscription") { server.subscriptions[id] }
    }
    func deleteSubscription(withID id: TelemetrySubscription.ID) async throws {
        try await call("unsubscribe") { server.deleteSubscription(id) }
    }
    nonisolated func notifications() -> AsyncStream<TelemetryNotification> {
        let (stream, continuation) = AsyncStream.makeStream(of: TelemetryNotification.self)
        process.followers.withLock { $0.append(continuation) }
        return stream
    }
    func validateSchema() async -> Bool { true }
    func debugInfo() async -> DebugInfo {
        DebugInfo(
            containerID: "", buildType: "", environment: "", testQueryResults: 0, firstRecordID: nil, firstRecordFields: [],
            recordCount: nil, errorMessage: nil)
    }
}

/// The device's settings, as one process sees them: it may die before or after each change.
@MainActor
final class SimulatedSettingsStore: TelemetrySettingsStoring {
    private let process: SimulatedProcess
    init(process: SimulatedProcess) { self.process = process }

    func load() async -> TelemetrySettings { process.device.settings }

    func save(_ settings: TelemetrySettings) async -> TelemetrySettings {
        await change { $0 = settings }
        return settings
    }

    func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        await change(transform)
        return process.device.settings
    }

    func reset() async -> TelemetrySettings { await save(.defaults) }

    private func change(_ transform: (inout TelemetrySettings) -> Void) async {
        await process.world.storeGate(process, "save settings")
        guard !process.isDead else { return }
        transform(&process.device.settings)
        let device = process.device
        if let identifier = device.settings.clientIdentifier, device.identifiers.last != identifier {
            device.identifiers.append(identifier)
        }
        await process.world.storeGate(process, "settings saved")
    }
}

/// The device's scenario states, as one process sees them.
@MainActor
final class SimulatedScenarioStore: TelemetryScenarioStoring {
    private let process: SimulatedProcess
    init(process: SimulatedProcess) { self.process = process }

    func loadState(for scenarioName: String) async -> Bool? { process.device.scenarioStates[scenarioName] }
    func loadAllStates() async -> [String: Bool] { process.device.scenarioStates }
    func saveState(for scenarioName: String, isEnabled: Bool) async {
        await process.world.storeGate(process, "save scenario")
        if !process.isDead { process.device.scenarioStates[scenarioName] = isEnabled }
        await process.world.storeGate(process, "scenario saved")
    }
    func removeState(for scenarioName: String) async {
        if !process.isDead { process.device.scenarioStates[scenarioName] = nil }
    }
    func removeAllStates() async { if !process.isDead { process.device.scenarioStates = [:] } }
}

/// A logger that records at once what passes its gate.
actor SimulatedLogger: TelemetryLogging {
    private struct State {
        var isOn = false
        var clientId: String?
        var scenarios: [String: Bool] = [:]
    }

    nonisolated let currentSessionId = "session"
    private nonisolated let state = Mutex(State())
    @MainActor weak var process: SimulatedProcess?

    nonisolated var unownedExecutor: UnownedSerialExecutor { MainActor.sharedUnownedExecutor }

    nonisolated var isOn: Bool { state.withLock(\.isOn) }
    nonisolated var clientId: String? { state.withLock(\.clientId) }
    nonisolated var scenarios: [String: Bool] { state.withLock(\.scenarios) }

    nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue]
    ) {
        let clientId: String?? = state.withLock { state in
            guard state.isOn, scenario.map({ state.scenarios[$0] == true }) ?? true else { return nil }
            return .some(state.clientId)
        }
        guard let clientId else { return }
        MainActor.assumeIsolated { process?.world.recorded(clientId, by: process) }
    }

    func setClientIdentifier(_ clientId: String?) async {
        await pass("identify logger")
        state.withLock { $0.clientId = clientId }
    }
    func updateScenarioStates(_ states: [String: Bool]) async {
        await pass("push scenarios")
        state.withLock { $0.scenarios = states }
    }
    func activate(enabled: Bool) async {
        await pass("activate logger")
        state.withLock { $0.isOn = enabled }
    }
    func setEnabled(_ enabled: Bool) async {
        await pass("switch logger")
        state.withLock { $0.isOn = enabled }
    }
    func flush() async {}
    func shutdown() async {}

    @MainActor
    private func pass(_ what: String) async {
        guard let process else { return }
        await process.world.storeGate(process, what)
    }
}
