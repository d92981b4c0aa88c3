import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
package import TelemetryTestSupport
import TelemetryTransport

/// Devices, viewers, a store and all possible faults between them, driven by one seed.
@MainActor
package final class SimulatedWorld {
    /// The outcome of a call.
    package enum Fate: Sendable { case go, failBefore, failAfter, dead }

    struct Gate {
        let process: SimulatedProcess
        let what: String
        let isAnswer: Bool
        /// Whether the call is on the device itself, not to the store.
        let isLocal: Bool
        let continuation: CheckedContinuation<Fate, Never>
    }

    package let clock = ManualClock()
    let executor = SimulationExecutor()
    let store: any SimulatedStore
    let devices: [SimulatedDevice]
    private(set) var violations: [String] = []
    /// The steps so far, to understand a failing seed.
    package private(set) var trace: [String] = []
    private let isTracing: Bool
    var random: SeededGenerator
    var gates: [Gate] = []
    /// Calls that take longer than every time limit.
    var hanging: [Gate] = []
    var deliveries: [SimulatedStore.Delivery] = []
    var isFaulty = true
    var commandCount = 0
    /// How often a process was killed.
    var deaths = 0
    /// The number of steps so far.
    var stepCount = 0
    /// The clients that a viewer has ever approved, and those that one has ever turned off.
    var approved: Set<String> = []
    var turnedOff: Set<String> = []
    /// Every command that a viewer created, oldest first.
    var commands: [TelemetryCommandRecord] = []
    private let bystander: [TelemetryRecord]
    let isViewerKind: Bool
    /// Whether each device has two processes; whether its settings temporarily cannot be written or read.
    let hasHelpers: Bool
    let hasFailingSettings: Bool
    /// Whether the settings store keeps only the three fields.
    let hasPlainStore: Bool
    /// Leases, rules, vetoes and pauses; nil in a world without them.
    private(set) var controls: SimulatedControls?

    /// Runs the simulation of a seed and returns its world.
    package static func simulated(
        _ seed: UInt64, over store: any SimulatedStore, hasHelpers: Bool = false, isTracing: Bool = false
    ) async throws -> SimulatedWorld {
        var random = SeededGenerator(seed: ~seed)
        let devices = hasHelpers ? 1 : Int.random(in: 1...3, using: &random)
        let world = try SimulatedWorld(
            seed: seed, devices: devices, store: store, hasHelpers: hasHelpers, isTracing: isTracing)
        await world.run(steps: Int.random(in: hasHelpers ? 60...240 : 40...160, using: &random))
        return world
    }

    /// Runs the simulation of a seed with leases, rules, vetoes, pauses and clocks that are set, and returns its world.
    static func controlled(
        _ seed: UInt64, over server: SimulatedServer, planting fault: PlantedFault? = nil, isTracing: Bool = false
    ) async throws -> SimulatedWorld {
        var random = SeededGenerator(seed: ~seed)
        let devices = Int.random(in: 1...3, using: &random)
        let world = try SimulatedWorld(
            seed: seed, devices: devices, store: server, hasHelpers: false, isTracing: isTracing)
        let hasLimits = random.once(in: 4)
        world.controls = SimulatedControls(
            of: world, server: server, limits: hasLimits ? ViewerLimits(level: .info, lease: 40) : ViewerLimits(),
            planted: fault)
        await world.run(steps: Int.random(in: 40...160, using: &random))
        return world
    }

    private init(seed: UInt64, devices count: Int, store: any SimulatedStore, hasHelpers: Bool, isTracing: Bool) throws {
        self.store = store
        self.isTracing = isTracing
        random = SeededGenerator(seed: seed)
        devices = (1...count).map { SimulatedDevice(number: $0) }
        isViewerKind = random.once(in: 2)
        self.hasHelpers = hasHelpers
        hasFailingSettings = hasHelpers && !seed.isMultiple(of: 4)
        hasPlainStore = !hasHelpers && seed.isMultiple(of: 3)
        let own = [
            try TelemetryFixtures.client("bystander", isEnabled: true).applying(
                to: .init(recordType: TelemetrySchema.clientRecordType, recordID: .client("bystander"))),
            try TelemetryFixtures.scenario("A", clientId: "bystander").applying(
                to: .init(recordType: TelemetrySchema.scenarioRecordType, recordID: .scenario("A", ofClient: "bystander"))),
        ]
        let command = try TelemetryFixtures.command(.disable, clientId: "bystander").applying(
            to: .init(recordType: TelemetrySchema.commandRecordType, recordID: .command("of-bystander")))
        bystander =
            try store.save(own, policy: .insert, by: "bystander") + store.save([command], policy: .insert, by: "viewer")
        store.append([TelemetryFixtures.event(clientId: "bystander")], by: "bystander")
        store.onChange = { [weak self] in self?.notice($0) }
        store.setFaulty(true)
    }

    nonisolated static func date(of clock: ManualClock) -> Date {
        let elapsed = clock.now.offset.components
        return TelemetryFixtures.date.addingTimeInterval(Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
    }

    // MARK: Delays and faults

    /// Waits until the simulation resumes the call.
    package func gate(
        _ process: SimulatedProcess, _ what: String, isAnswer: Bool = false, isLocal: Bool = false
    ) async -> Fate {
        if process.isDead { return .dead }
        return await withCheckedContinuation { continuation in
            gates.append(Gate(process: process, what: what, isAnswer: isAnswer, isLocal: isLocal, continuation: continuation))
        }
    }

    /// Waits during some changes on the device, so that the process can die meanwhile.
    func storeGate(_ process: SimulatedProcess, _ what: String) async {
        guard isFaulty, !process.isDead, random.once(in: 6) else { return }
        _ = await gate(process, what, isAnswer: true, isLocal: true)
    }

    /// An accepted event waits for the rest of its batch.
    func batchGate(_ process: SimulatedProcess) async {
        if isFaulty, random.once(in: 2) { _ = await gate(process, "fill batch", isAnswer: true) }
    }

    package func isAnswerSlow() -> Bool { isFaulty && random.once(in: 4) }

    /// A random reason for which the store refuses a call; all may be temporary.
    func refusal() -> TelemetryTransportError {
        let codes = [TelemetryTransportError.Code.unavailable, .rateLimited, .quotaExceeded, .unauthorized, .closed]
        return TelemetryTransportError(
            code: codes[Int.random(in: 0..<codes.count, using: &random)], message: "The simulation said so.")
    }

    func abandonGates(of process: SimulatedProcess) {
        let own = (gates + hanging).filter { $0.process === process }
        gates.removeAll { $0.process === process }
        hanging.removeAll { $0.process === process }
        for gate in own { gate.continuation.resume(returning: .dead) }
    }

    private func notice(_ delivery: @escaping SimulatedStore.Delivery) {
        let copies = !isFaulty ? 1 : [0, 1, 1, 1, 2][Int.random(in: 0..<5, using: &random)]
        for _ in 0..<copies { deliveries.append(delivery) }
    }

    func violate(_ what: String) { violations.append(what) }

    func advance(by duration: Duration) {
        clock.advance(by: duration)
        store.advance(by: duration)
        controls?.observe()
    }

    func note(_ what: @autoclosure () -> String) { if isTracing { trace.append(what()) } }

    var isBystanderUntouched: Bool {
        bystander.allSatisfy { store.record($0.recordID) == $0 } && store.events.contains { $0.clientId == "bystander" }
    }
}
