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
        logger = SimulatedLogger()
        logger.process = self
        var configuration = TelemetryLifecycleService.Configuration(
            operationTimeout: .seconds(10), reconcileInterval: .seconds(60), clock: world.clock,
            now: { [clock = world.clock] in SimulatedWorld.date(of: clock) })
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
