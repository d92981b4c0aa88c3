import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
package import TelemetryTransport

/// One run of the app on a device. After its death, its calls have no effect.
@MainActor
package final class SimulatedProcess {
    package let device: SimulatedDevice
    package let world: SimulatedWorld
    let logger: SimulatedLogger
    private(set) var service: TelemetryLifecycleService?
    package private(set) var transport: (any TelemetryTransporting)?
    private(set) var isDead = false
    /// Counts the processes of the device.
    let number: Int
    var hasRegistered = false
    let isHelper: Bool
    /// Whether the host has opted out in this process, without a later opt-in in any process.
    var hasOptedOut = false
    /// The decisions whose calls have not returned.
    var openDecisions: [Int: Decision] = [:]
    /// The number of the host's calls that have not returned.
    var openCalls = 0

    struct Decision {
        let isWanted: Bool
        /// Whether earlier work of the process delays it.
        let isDelayed: Bool
        /// The number of the simulation's steps before it.
        let step: Int
    }

    init(device: SimulatedDevice, world: SimulatedWorld, isHelper: Bool = false) {
        self.device = device
        self.world = world
        self.isHelper = isHelper
        device.processCount += 1
        number = device.processCount
        logger = SimulatedLogger(name: "device\(device.number)process\(device.processCount)")
        logger.process = self
        var configuration = TelemetryLifecycleService.Configuration(
            operationTimeout: .seconds(10), reconcileInterval: .seconds(60), clock: world.clock,
            now: { [clock = world.clock, skew = device.skew] in SimulatedWorld.date(of: clock) + skew.seconds })
        configuration.random = { 0.5 }
        if let controls = world.controls {
            configuration.policy = controls.policy
            configuration.attributes = ["group": SimulatedRule.group(ofDevice: device.number)]
        }
        configuration.executor = world.executor
        let transport = world.store.transport(of: self)
        self.transport = transport
        service = TelemetryLifecycleService(
            settingsStore: world.hasPlainStore ? SimulatedPlainStore(process: self) : SimulatedSettingsStore(process: self),
            transport: transport,
            identifierGenerator: device.generator,
            configuration: configuration, logger: logger,
            scenarioStore: world.controls == nil
                ? SimulatedScenarioStore(process: self) : SimulatedControlStore(process: self),
            pendingWorkStore: SimulatedPendingWorkStore(process: self))
    }

    /// Makes a call of the host, in a new task.
    func call(_ body: @escaping @MainActor (TelemetryLifecycleService) async -> Void) {
        guard let service else { return }
        openCalls += 1
        Task(executorPreference: world.executor) {
            await body(service)
            await self.returned()
        }
    }

    /// Ends the host's session. Once the call has returned, successful or not, the session's events must be deleted in the end.
    func endSession() {
        let session = logger.currentSessionId
        call { [weak self] service in
            try? await service.endSession()
            guard let self, !isDead, logger.currentSessionId != session else { return }
            device.endedSessions.insert(session)
        }
    }

    /// The name in the trace.
    var name: String { isHelper ? "\(device.number) helper" : "\(device.number)" }

    private func returned() { openCalls -= 1 }

    /// The date by the device's clock.
    var date: Date { SimulatedWorld.date(of: world.clock) + device.skew.seconds }

    /// Called when the logger has accepted an event. With several processes, it is delivered later, as by the library's logger,
    /// which checks the consent as late as possible.
    func accepted(_ clientId: String?, generation: Int, scenario: String?, level: TelemetryLogLevel) {
        let session = logger.currentSessionId
        world.accepted(clientId, by: self)
        guard let clientId else { return }
        world.controls?.recorded(scenario, level, clientId, by: self)
        guard world.hasHelpers else { return world.deliver(clientId, session: session, by: self) }
        Task(executorPreference: world.executor) { await self.deliver(clientId, session, generation) }
    }

    private func deliver(_ clientId: String, _ session: String, _ generation: Int) async {
        await world.batchGate(self)
        // An opt-out that is recorded while the check runs may come too late for this delivery.
        let hasOptOut = device.hasRecordedOptOut(of: clientId)
        let check = logger.check
        let stands = await check?.isGranted(clientId) ?? true
        guard !isDead, logger.isCurrent(generation) else { return }
        guard stands else {
            logger.withdraw()
            return await check?.onWithdrawal() ?? ()
        }
        world.deliveryBegins(clientId, by: self, afterRecordedOptOut: hasOptOut)
        logger.deliveryBegins(generation)
        let fate = await world.gate(self, "append")
        logger.deliveryEnded(generation)
        if fate == .go || fate == .failAfter { world.deliver(clientId, session: session, by: self) }
    }

    func die() {
        isDead = true
        device.controls?.processDied()
        openDecisions = [:]
        for clientId in device.uses.keys { device.uses[clientId]?.remove(ObjectIdentifier(self)) }
        service = nil
        logger.process = nil
        (transport as? SimulatedTransport)?.end()
        transport = nil
        world.abandonGates(of: self)
    }
}
