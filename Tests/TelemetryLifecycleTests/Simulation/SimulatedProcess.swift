import Foundation
import TelemetryLifecycle
package import TelemetryTransport

/// One run of the app on a device. Once it is dead, nothing that it does has an effect any more.
@MainActor
package final class SimulatedProcess {
    package let device: SimulatedDevice
    package let world: SimulatedWorld
    let logger: SimulatedLogger
    private(set) var service: TelemetryLifecycleService?
    package private(set) var transport: (any TelemetryTransporting)?
    private(set) var isDead = false
    var hasRegistered = false
    /// The host's calls that have not returned.
    var openCalls = 0

    init(device: SimulatedDevice, world: SimulatedWorld) {
        self.device = device
        self.world = world
        device.processCount += 1
        logger = SimulatedLogger(name: "device\(device.number)process\(device.processCount)")
        logger.process = self
        var configuration = TelemetryLifecycleService.Configuration(
            operationTimeout: .seconds(10), reconcileInterval: .seconds(60), clock: world.clock,
            now: { [clock = world.clock, skew = device.skew] in SimulatedWorld.date(of: clock) + skew.seconds })
        configuration.random = { 0.5 }
        configuration.executor = world.executor
        let transport = world.store.transport(of: self)
        self.transport = transport
        service = TelemetryLifecycleService(
            settingsStore: SimulatedSettingsStore(process: self), transport: transport,
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

    /// The host ends its session: once the call has returned, whatever it came to, the session's events are to go.
    func endSession() {
        let session = logger.currentSessionId
        call { [weak self] service in
            try? await service.endSession()
            guard let self, !isDead, logger.currentSessionId != session else { return }
            device.endedSessions.insert(session)
        }
    }

    private func returned() { openCalls -= 1 }

    func die() {
        isDead = true
        service = nil
        logger.process = nil
        (transport as? SimulatedTransport)?.end()
        transport = nil
        world.abandonGates(of: self)
    }
}
