import Foundation
import TelemetryLifecycle
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport

/// The steps of a simulation that concern leases, rules, vetoes, pauses and clocks.
extension SimulatedControls {
    func act() {
        guard let controls = devices.randomElement(using: &world.random), let process = controls.device.process else { return }
        switch Int.random(in: 0..<24, using: &world.random) {
        case 0..<3: decide(in: process, controls)
        case 3..<6: forbid(in: process, controls)
        case 6..<8: pause(true, in: process, controls)
        case 8: pause(false, in: process, controls)
        case 9..<14: command()
        case 14..<16: pauseCommand()
        case 16..<21: changeRules()
        case 21..<23: setClock(of: controls.device)
        default: stop(controls.device)
        }
    }

    /// A host registers scenarios as soon as it has started, as most hosts do.
    func register(in process: SimulatedProcess) {
        guard world.random.once(in: 2) else { return }
        process.hasRegistered = true
        process.call { try? await $0.registerScenarios(DeviceControls.scenarios) }
    }

    // MARK: The host and the user

    /// The host decides on a scenario.
    func decide(in process: SimulatedProcess, _ controls: DeviceControls) {
        guard process.openCalls < 6 else { return }
        let kind = Int.random(in: 0..<8, using: &world.random)
        var decision = ExpectedDecision(isEnabled: kind > 2, source: .host, clockChanges: controls.clockChanges)
        if kind > 5 { decision.level = .info }
        let expires = kind > 3 ? date(on: process.device) + seconds() : nil
        decision.end = expires.map { $0...$0 }
        let wanted = kind == 0 ? nil : decision
        let vetoes = controls.vetoes(of: "A").next
        let call = nextStep()
        world.note("\(process.name): the host decides on A: \(wanted.map { "\($0)" } ?? "reset")")
        controls.beginDecision(call, on: "A", wanted)
        process.call { [self] service in
            var refusal: String?
            do {
                if let wanted {
                    try await service.setScenarioEnabled(
                        "A", enabled: wanted.isEnabled, level: wanted.level, expires: expires)
                } else {
                    try await service.resetScenario("A")
                }
            } catch {
                refusal = error.localizedDescription
            }
            guard !process.isDead else { return }
            let isRefused = refusal?.contains("forbids") ?? false
            if wanted?.isEnabled == true, vetoes.allSatisfy(\.self), !isRefused { world.violate("A was turned on, forbidden") }
            if isRefused, !vetoes.contains(true) { world.violate("A was refused without a veto") }
            controls.endDecision(call, on: "A", wanted, isRefused: isRefused, step: nextStep())
            observe()
        }
    }

    private func forbid(in process: SimulatedProcess, _ controls: DeviceControls) {
        guard process.openCalls < 6, let name = DeviceControls.scenarios.randomElement(using: &world.random) else { return }
        let isDenied = world.random.once(in: 2)
        let call = nextStep()
        world.note("\(process.name): the user \(isDenied ? "forbids" : "allows") \(name)")
        controls.beginVeto(call, of: name, isDenied: isDenied)
        observe()
        process.call { [self] service in
            await service.setScenarioAllowed(name, allowed: !isDenied)
            guard !process.isDead else { return }
            controls.endVeto(call, of: name)
            observe()
        }
    }

    private func pause(_ isPaused: Bool, in process: SimulatedProcess, _ controls: DeviceControls) {
        guard process.openCalls < 6 else { return }
        let call = nextStep()
        let device = process.device
        let (ends, wasRequested) = (controls.endCount, device.settings.telemetryRequested)
        world.note("\(process.name): the host \(isPaused ? "pauses" : "resumes")")
        controls.beginPause(call, isPaused: isPaused)
        observe()
        process.call { [self] service in
            if isPaused { await service.pauseTelemetry() } else { await service.resumeTelemetry() }
            guard !process.isDead else { return }
            let isEffective = wasRequested && controls.endCount == ends && device.settings.telemetryRequested
            controls.endPause(call, isPaused: isPaused, isEffective: isEffective, step: nextStep())
            observe()
        }
    }

    // MARK: Viewers

    private func command() {
        guard let client = world.clients.randomElement(using: &world.random)?.clientId else { return }
        let kind = Int.random(in: 0..<8, using: &world.random)
        let action: TelemetrySchema.CommandAction =
            kind == 0 ? .resetScenario : kind == 1 ? .disableScenario : .enableScenario
        let isEnabled = action == .enableScenario
        world.command(
            action, client, scenario: world.random.once(in: 3) ? "A" : "V",
            level: isEnabled && kind > 5 ? .info : nil, lease: isEnabled && kind > 3 ? seconds() : nil, expiresIn: expiry())
    }

    private func pauseCommand() {
        guard let client = world.clients.randomElement(using: &world.random)?.clientId else { return }
        world.command(world.random.once(in: 2) ? .pause : .resume, client, expiresIn: expiry())
    }

    private func expiry() -> TimeInterval? {
        [nil, nil, nil, nil, -7_200, 20, 2_592_000][Int.random(in: 0..<7, using: &world.random)]
    }

    /// The length of a lease.
    private func seconds() -> TimeInterval { [5, 20, 60, 600][Int.random(in: 0..<4, using: &world.random)] }

    private func changeRules() {
        guard !rules.isEmpty, !world.random.once(in: 3) else { return addRule() }
        let index = Int.random(in: 0..<rules.count, using: &world.random)
        switch Int.random(in: 0..<6, using: &world.random) {
        case 0..<2:
            let rule = rules.remove(at: index)
            world.note("viewer: removes rule \(rule.ruleId)")
            _ = server.delete([.rule(rule.ruleId)])
        case 2: change(index) { $0.percentage = min($0.percentage + 50, 100) }
        case 3: change(index) { $0.isEnabled.toggle() }
        case 4: change(index) { $0.level = $0.level == .info ? .diagnostic : .info }
        default:
            let expires = SimulatedWorld.date(of: world.clock) + seconds()
            change(index) { $0.expires = $0.expires == nil ? expires : nil }
        }
    }

    private func addRule() {
        guard rules.count < 6, let scenario = DeviceControls.scenarios.randomElement(using: &world.random) else { return }
        let percentage = [0, 50, 50, 100][Int.random(in: 0..<4, using: &world.random)]
        let rule = SimulatedRule(
            ruleId: "r\(ruleVersions.count)", scenario: scenario, level: world.random.once(in: 3) ? .info : .diagnostic,
            group: [nil, nil, "even", "odd"][Int.random(in: 0..<4, using: &world.random)], percentage: Double(percentage),
            expires: world.random.once(in: 2) ? SimulatedWorld.date(of: world.clock) + seconds() : nil)
        rules.append(rule)
        store(rule)
    }

    private func change(_ index: Int, _ body: (inout SimulatedRule) -> Void) {
        body(&rules[index])
        store(rules[index])
    }

    private func store(_ rule: SimulatedRule) {
        world.note("viewer: \(rule)")
        ruleVersions.append(rule)
        _ = try? server.save([rule.record.toRecord()], policy: .overwrite, by: "viewer")
    }

    // MARK: Time

    /// Sets a device's clock forwards or backwards.
    private func setClock(of device: SimulatedDevice) {
        device.skew.seconds = [-3_600, -30, 0, 30, 3_600][Int.random(in: 0..<5, using: &world.random)]
        world.note("\(device.number): its clock is wrong by \(device.skew.seconds) s")
        clockChanged(on: device)
    }

    /// Kills a device's process and starts it again some time later, perhaps after its clock was set.
    private func stop(_ device: SimulatedDevice) {
        guard let process = device.process else { return }
        world.note("\(process.name): is killed, and restarted later")
        process.die()
        world.deaths += 1
        world.advance(by: .seconds([1, 15, 45, 700][Int.random(in: 0..<4, using: &world.random)]))
        if world.random.once(in: 3) { setClock(of: device) }
        world.start(device)
    }
}
