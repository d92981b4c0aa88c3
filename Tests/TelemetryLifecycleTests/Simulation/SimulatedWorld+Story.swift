import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport

/// The steps of a simulation.
extension SimulatedWorld {
    /// Runs all steps and the end.
    func run(steps: Int) async {
        // In a task on the simulation's executor: the test's own task may run on another thread.
        await Task(executorPreference: executor) { await self.tell(steps: steps) }.value
    }

    private func tell(steps: Int) async {
        for device in devices { start(device) }
        if controls != nil { await approveAll() }
        for _ in 0..<steps {
            step()
            stepCount += 1
            noteProgress()
            // Not until everything is idle: the next step may come in between.
            await executor.turn()
            await executor.turn()
        }
        await calmDown()
    }

    /// Usually, has every user opt in and a viewer approve every client before the first fault.
    private func approveAll() async {
        guard !random.once(in: 4) else { return }
        isFaulty = false
        for process in devices.compactMap(\.process) { consent(true, process) }
        await finish()
        for client in clients { approve(client) { command(.enable, client.clientId) } }
        await finish()
        isFaulty = true
    }

    private func step() {
        if let controls, random.once(in: 4) {
            logEvents()
            return controls.act()
        }
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

    func passGate() {
        guard !gates.isEmpty else { return }
        let gate = gates.remove(at: Int.random(in: 0..<gates.count, using: &random))
        if isFaulty, !gate.isAnswer, random.once(in: 15) {
            note("\(gate.process.name): \(gate.what) hangs")
            return hanging.append(gate)
        }
        let fate: Fate =
            gate.isAnswer || !isFaulty
            ? .go : [.go, .go, .go, .go, .failBefore, .failAfter][Int.random(in: 0..<6, using: &random)]
        note("\(gate.process.name): \(gate.what) → \(fate)")
        gate.continuation.resume(returning: fate)
    }

    /// Resumes calls that hung, long after they timed out.
    func unhang() {
        gates += hanging
        hanging = []
    }

    func deliver() {
        guard !deliveries.isEmpty else { return }
        deliveries.remove(at: Int.random(in: 0..<deliveries.count, using: &random))(devices)
    }

    func start(_ device: SimulatedDevice) {
        let process = SimulatedProcess(device: device, world: self)
        device.process = process
        process.call { await $0.startup() }
        note("\(process.name): starts")
        controls?.register(in: process)
        if hasHelpers, device.helper == nil { startHelper(of: device) }
    }

    func startHelper(of device: SimulatedDevice) {
        let helper = SimulatedProcess(device: device, world: self, isHelper: true)
        device.helper = helper
        helper.call { await $0.startup() }
        note("\(helper.name): starts")
    }

    private func restart() {
        let device = devices[Int.random(in: 0..<devices.count, using: &random)]
        let isHelper = hasHelpers && random.once(in: 2)
        guard let process = isHelper ? device.helper : device.process else { return }
        note("\(process.name): dies with \(gates.filter { $0.process === process }.map(\.what))")
        process.die()
        deaths += 1
        if isHelper { startHelper(of: device) } else { start(device) }
    }

    /// Logs events on all devices, because few of a simulation's steps find a client that is approved.
    private func logEvents() {
        for process in devices.flatMap(\.processes) {
            process.logger.logEvent(name: "e")
            guard controls != nil else { continue }
            for scenario in DeviceControls.scenarios {
                process.logger.logEvent(name: "e", scenario: scenario)
                process.logger.logEvent(name: "e", scenario: scenario, level: .diagnostic)
            }
        }
    }

    private func hostActs() {
        logEvents()
        let device = devices[Int.random(in: 0..<devices.count, using: &random)]
        if hasHelpers { return hostsAct(on: device) }
        guard let process = device.process, process.openCalls < 4 else { return }
        let on = Bool.random(using: &random)
        switch Int.random(in: 0..<18, using: &random) {
        case 0..<4: consent(true, process)
        case 4..<5: consent(false, process)
        case 5: process.call { await $0.reconcile() }
        case 6, 17: process.endSession()
        case 7..<9:
            let names = ["A", "B", "V"].filter { _ in !random.once(in: 3) }
            note("\(device.number): registers \(names)")
            process.hasRegistered = true
            process.call { try? await $0.registerScenarios(names) }
        case 9..<11:
            if let controls, let decided = device.controls { return controls.decide(in: process, decided) }
            process.call { try? await $0.setScenarioEnabled("A", enabled: on) }
        case 11: process.call { _ = await $0.handleRemoteNotification(.init()) }
        // Not with lagging queries: their delay is measured by this clock.
        case 12 where store.consistencyDelay == .zero:
            device.skew.seconds = [-3_600, 0, 3_600][Int.random(in: 0..<3, using: &random)]
            note("\(device.number): its clock is wrong by \(device.skew.seconds) s")
            controls?.clockChanged(on: device)
        default:
            process.logger.logEvent(name: "e")
            process.logger.logEvent(name: "e", scenario: "V")
        }
    }

    /// Steps of two processes on one device: mainly consent.
    private func hostsAct(on device: SimulatedDevice) {
        guard let process = device.processes.randomElement(using: &random), process.openCalls < 9 else { return }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<4: consent(true, process)
        case 4..<7: consent(false, process)
        case 7..<9: process.call { await $0.reconcile() }
        case 9: process.call { _ = await $0.handleRemoteNotification(.init()) }
        case 10 where !process.isHelper:
            process.hasRegistered = true
            process.call { try? await $0.registerScenarios(["A"]) }
        case 11 where !process.isHelper: process.call { try? await $0.setScenarioEnabled("A", enabled: true) }
        case 12 where hasFailingSettings:
            device.isUnwritable.toggle()
            note("\(device.number): settings can\(device.isUnwritable ? "not" : "") be written")
        case 13 where hasFailingSettings:
            device.isUnreadable.toggle()
            note("\(device.number): settings can\(device.isUnreadable ? "not" : "") be read")
        default: process.logger.logEvent(name: "e")
        }
    }

    /// The clients in the store, as a viewer reads them.
    var clients: [TelemetryClientRecord] {
        store.records(matching: .init(recordType: TelemetrySchema.clientRecordType))
            .compactMap { try? TelemetryClientRecord(record: $0) }.filter { $0.clientId != "bystander" }
    }

    /// A viewer sends a command to a client that it currently reads.
    private func viewerActs() {
        let clients = clients
        guard !clients.isEmpty else { return }
        let client = clients[Int.random(in: 0..<clients.count, using: &random)]
        switch Int.random(in: 0..<(hasHelpers ? 8 : 12), using: &random) {
        case 0..<3: approve(client) { self.command(.enable, client.clientId) }
        case 3..<5: approve(client) { self.edit(client, isEnabled: true) }
        case 5: if !isViewerKind, !hasHelpers { turnOff(client) { self.command(.disable, client.clientId) } }
        case 6: if !isViewerKind, !hasHelpers, random.once(in: 2) { turnOff(client) { self.edit(client, isEnabled: false) } }
        case 7: command(.deleteEvents, client.clientId)
        case 8: command(.enableScenario, client.clientId)
        case 9..<11: command(.enableScenario, client.clientId, scenario: "V")
        default: command(.disableScenario, client.clientId, scenario: "V")
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

    func command(
        _ action: TelemetrySchema.CommandAction, _ clientId: String, scenario: String? = nil, level: TelemetryLogLevel? = nil,
        lease: TimeInterval? = nil, expiresIn seconds: TimeInterval? = nil
    ) {
        commandCount += 1
        advance(by: .milliseconds(1))
        // Stores that round dates may give two commands the same date; then their names decide on the order.
        let commandId = "c\(1_000 + commandCount)"
        let created = Self.date(of: clock)
        let command = TelemetryCommandRecord(
            recordID: .command(commandId), commandId: commandId, clientId: clientId, action: action, scenarioName: scenario,
            created: created, level: level, lease: lease, expires: seconds.map { created + $0 })
        let limits = [level.map { "\($0)" }, lease.map { "for \($0) s" }, seconds.map { "expires in \($0) s" }].compactMap(\.self)
        note("viewer: \(commandId) \(action) \(scenario ?? "") to \(clientId) \(limits.joined(separator: " "))")
        commands.append(command)
        controls?.created(command)
        _ = try? store.save([command.toRecord()], policy: .insert, by: "viewer")
    }
}
