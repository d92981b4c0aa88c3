import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
package import TelemetryTestSupport
import TelemetryTransport

/// Devices, viewers, a store and everything that can go wrong between them, driven by one seed.
@MainActor
package final class SimulatedWorld {
    /// What becomes of a call.
    package enum Fate: Sendable { case go, failBefore, failAfter, dead }

    private struct Gate {
        let process: SimulatedProcess
        let what: String
        let isAnswer: Bool
        let continuation: CheckedContinuation<Fate, Never>
    }

    package let clock = ManualClock()
    let executor = SimulationExecutor()
    let store: any SimulatedStore
    let devices: [SimulatedDevice]
    private(set) var violations: [String] = []
    /// What happened, in order: what a failing seed is understood by.
    package private(set) var trace: [String] = []
    private let isTracing: Bool
    private var random: SeededRandom
    private var gates: [Gate] = []
    /// Calls that take longer than anybody waits for them.
    private var hanging: [Gate] = []
    private var deliveries: [SimulatedStore.Delivery] = []
    private var isFaulty = true
    private var commandCount = 0
    /// The clients that a viewer approved, and those that one turned off, at any time.
    private var approved: Set<String> = []
    private(set) var turnedOff: Set<String> = []
    /// Every command that a viewer made, oldest first.
    private(set) var commands: [TelemetryCommandRecord] = []
    private let bystander: [TelemetryRecord]
    private let isViewerKind: Bool

    /// The world of a seed, when its story has been told.
    package static func told(
        _ seed: UInt64, over store: any SimulatedStore, isTracing: Bool = false
    ) async throws -> SimulatedWorld {
        var random = SeededRandom(seed: ~seed)
        let devices = Int.random(in: 1...3, using: &random)
        let world = try SimulatedWorld(seed: seed, devices: devices, store: store, isTracing: isTracing)
        await world.run(steps: Int.random(in: 40...160, using: &random))
        return world
    }

    private init(seed: UInt64, devices count: Int, store: any SimulatedStore, isTracing: Bool) throws {
        self.store = store
        self.isTracing = isTracing
        random = SeededRandom(seed: seed)
        devices = (1...count).map { SimulatedDevice(number: $0) }
        isViewerKind = random.once(in: 2)
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

    // MARK: What the processes meet

    /// Where a call waits until the simulation lets it go.
    package func gate(_ process: SimulatedProcess, _ what: String, isAnswer: Bool = false) async -> Fate {
        if process.isDead { return .dead }
        return await withCheckedContinuation { continuation in
            gates.append(Gate(process: process, what: what, isAnswer: isAnswer, continuation: continuation))
        }
    }

    /// A change at the device itself: mostly done at once, now and then slow enough for the process to die meanwhile.
    func storeGate(_ process: SimulatedProcess, _ what: String) async {
        guard isFaulty, !process.isDead, random.once(in: 6) else { return }
        _ = await gate(process, what, isAnswer: true)
    }

    package func isAnswerSlow() -> Bool { isFaulty && random.once(in: 4) }

    func abandonGates(of process: SimulatedProcess) {
        let own = (gates + hanging).filter { $0.process === process }
        gates.removeAll { $0.process === process }
        hanging.removeAll { $0.process === process }
        for gate in own { gate.continuation.resume(returning: .dead) }
    }

    /// An event was recorded: was there consent, and approval?
    func recorded(_ clientId: String?, by process: SimulatedProcess?) {
        guard let process else { return }
        guard let clientId else { return violate("an event without a client was recorded") }
        if !approved.contains(clientId) { violate("an event of \(clientId) was recorded, which nobody approved") }
        let consent = process.device.consent
        if !consent.isWanted, consent.hasReturned { violate("an event of \(clientId) was recorded after its opt-out") }
        store.append(
            [TelemetryEvent(clientId: clientId, sessionId: "s", name: "e", timestamp: Self.date(of: clock))],
            by: process.device.user)
    }

    private func notice(_ delivery: @escaping SimulatedStore.Delivery) {
        let copies = !isFaulty ? 1 : [0, 1, 1, 1, 2][Int.random(in: 0..<5, using: &random)]
        for _ in 0..<copies { deliveries.append(delivery) }
    }

    func violate(_ what: String) { violations.append(what) }

    // MARK: What happens

    /// Runs the story from its beginning to its end.
    private func run(steps: Int) async {
        // In a task that runs where all others do: a test's own has another thread to go to.
        await Task(executorPreference: executor) { await self.tell(steps: steps) }.value
    }

    private func tell(steps: Int) async {
        for device in devices { start(device) }
        for _ in 0..<steps {
            step()
            // Not until everything rests: what happens next may well come in between.
            await executor.turn()
            await executor.turn()
        }
        await calmDown()
    }

    private func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<50: passGate()
        case 50..<60: deliver()
        case 60..<78: hostActs()
        case 78..<90: viewerActs()
        case 90..<93: restart()
        case 93..<97: advance(by: .milliseconds(100))
        case 97..<99: advance(by: .seconds(11))
        default: unhang()
        }
    }

    private func passGate() {
        guard !gates.isEmpty else { return }
        let gate = gates.remove(at: Int.random(in: 0..<gates.count, using: &random))
        if isFaulty, !gate.isAnswer, random.once(in: 15) {
            note("\(gate.process.device.number): \(gate.what) hangs")
            return hanging.append(gate)
        }
        let fate: Fate =
            gate.isAnswer || !isFaulty
            ? .go : [.go, .go, .go, .go, .failBefore, .failAfter][Int.random(in: 0..<6, using: &random)]
        note("\(gate.process.device.number): \(gate.what) → \(fate)")
        gate.continuation.resume(returning: fate)
    }

    /// What hung goes on, long after it was given up.
    private func unhang() {
        gates += hanging
        hanging = []
    }

    private func deliver() {
        guard !deliveries.isEmpty else { return }
        deliveries.remove(at: Int.random(in: 0..<deliveries.count, using: &random))(devices)
    }

    private func start(_ device: SimulatedDevice) {
        let process = SimulatedProcess(device: device, world: self)
        device.process = process
        process.call { await $0.startup() }
        note("\(device.number): starts")
    }

    private func restart() {
        let device = devices[Int.random(in: 0..<devices.count, using: &random)]
        note("\(device.number): dies with \(gates.filter { $0.process === device.process }.map(\.what))")
        device.process?.die()
        start(device)
    }

    private func hostActs() {
        let device = devices[Int.random(in: 0..<devices.count, using: &random)]
        guard let process = device.process, process.openCalls < 4 else { return }
        let on = Bool.random(using: &random)
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<4: consent(true, process)
        case 4..<5: consent(false, process)
        case 5: process.call { await $0.reconcile() }
        case 6: process.call { try? await $0.endSession() }
        case 7..<9:
            let names = ["A", "B", "V"].filter { _ in !random.once(in: 3) }
            note("\(device.number): registers \(names)")
            process.hasRegistered = true
            process.call { try? await $0.registerScenarios(names) }
        case 9..<11: process.call { try? await $0.setScenarioEnabled("A", enabled: on) }
        case 11: process.call { _ = await $0.handleRemoteNotification(.init()) }
        default:
            process.logger.logEvent(name: "e")
            process.logger.logEvent(name: "e", scenario: "V")
        }
    }

    private func consent(_ isWanted: Bool, _ process: SimulatedProcess) {
        let device = process.device
        note("\(device.number): wants \(isWanted)")
        device.consent = (isWanted, false, device.consent.serial + 1)
        let serial = device.consent.serial
        process.call { service in
            if isWanted { await service.enableTelemetry() } else { await service.disableTelemetry() }
            // Only the last word counts, and only where its process lived to give the answer.
            if device.process === process, device.consent.serial == serial { device.consent.hasReturned = true }
        }
    }

    /// A viewer turns to a client that it can see at this moment.
    private func viewerActs() {
        let clients = store.records(matching: .init(recordType: TelemetrySchema.clientRecordType))
            .compactMap { try? TelemetryClientRecord(record: $0) }.filter { $0.clientId != "bystander" }
        guard !clients.isEmpty else { return }
        let client = clients[Int.random(in: 0..<clients.count, using: &random)]
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<3: approve(client) { self.command(.enable, client) }
        case 3..<5: approve(client) { self.edit(client, isEnabled: true) }
        case 5: if !isViewerKind { turnOff(client) { self.command(.disable, client) } }
        case 6: if !isViewerKind, random.once(in: 2) { turnOff(client) { self.edit(client, isEnabled: false) } }
        case 7: command(.deleteEvents, client)
        case 8: command(.enableScenario, client, scenario: nil)
        case 9..<11: command(.enableScenario, client, scenario: "V")
        default: command(.disableScenario, client, scenario: "V")
        }
    }

    private func approve(_ client: TelemetryClientRecord, _ body: () -> Void) {
        approved.insert(client.clientId)
        body()
    }

    private func turnOff(_ client: TelemetryClientRecord, _ body: () -> Void) {
        turnedOff.insert(client.clientId)
        body()
    }

    private func edit(_ client: TelemetryClientRecord, isEnabled: Bool) {
        guard let id = client.recordID, var record = store.record(id) else { return }
        note("viewer: \(client.clientId) enabled \(isEnabled)")
        record["isEnabled"] = .bool(isEnabled)
        _ = try? store.save([record], policy: .overwrite, by: "viewer")
    }

    private func command(
        _ action: TelemetrySchema.CommandAction, _ client: TelemetryClientRecord, scenario: String? = nil
    ) {
        commandCount += 1
        advance(by: .milliseconds(1))
        let command = TelemetryCommandRecord(
            recordID: .command("c\(commandCount)"), commandId: "c\(commandCount)", clientId: client.clientId, action: action,
            scenarioName: scenario, created: Self.date(of: clock))
        note("viewer: c\(commandCount) \(action) \(scenario ?? "") to \(client.clientId)")
        commands.append(command)
        _ = try? store.save([command.toRecord()], policy: .insert, by: "viewer")
    }

    // MARK: The end

    /// Nothing goes wrong any more; every process looks once more, by itself or because its host asks.
    private func calmDown() async {
        isFaulty = false
        store.setFaulty(false)
        note("calm")
        for _ in 0..<4 {
            await finish()
            advance(by: .seconds(11))
        }
        await finish()
        unhang()
        for device in devices where device.process?.service == nil { start(device) }
        for _ in 0..<2 { await look() }
        guard store.settlingTime > .zero else { return }
        // What queries missed shows up, and what was done on their word is done again.
        for _ in 0..<2 {
            advance(by: store.settlingTime)
            await look()
        }
    }

    private func look() async {
        for device in devices { device.process?.call { await $0.reconcile() } }
        await finish()
    }

    /// Lets everything go on until nothing is left to go on.
    private func finish() async {
        var idleTurns = 0
        // As long as a call is open there is something to wait for, unless what it waits for hangs.
        while idleTurns < (hanging.isEmpty && devices.contains { ($0.process?.openCalls ?? 0) > 0 } ? 300 : 10) {
            await executor.turn()
            idleTurns += 1
            guard !gates.isEmpty || !deliveries.isEmpty else { continue }
            idleTurns = 0
            if gates.isEmpty { deliver() } else { passGate() }
        }
        if hanging.isEmpty, devices.contains(where: { ($0.process?.openCalls ?? 0) > 0 }) { violate("a call never returned") }
    }

    private func advance(by duration: Duration) {
        clock.advance(by: duration)
        store.advance(by: duration)
    }

    private func note(_ what: @autoclosure () -> String) { if isTracing { trace.append(what()) } }

    var isBystanderUntouched: Bool {
        bystander.allSatisfy { store.record($0.recordID) == $0 } && store.events.contains { $0.clientId == "bystander" }
    }
}
