import Foundation
import TelemetryLifecycle
import TelemetryModels

/// What must hold at the end, after some time without faults.
extension SimulatedControls {
    func check(
        _ controls: DeviceControls, _ service: TelemetryLifecycleService, expect: (Bool, @autoclosure () -> String) -> Void
    ) {
        let device = controls.device
        let name = "device \(device.number)"
        let logger = device.process?.logger
        expect(service.scenarioStates == service.scenarios.mapValues(\.isEnabled), "\(name): scenarioStates disagree")
        expect(logger?.fullScenarios == service.scenarios, "\(name): the logger's scenarios disagree")
        expect(service.deniedScenarios == device.denied, "\(name): what is forbidden disagrees")
        expect(logger?.isPaused == service.isPaused, "\(name): the logger's pause disagrees")
        for scenario in DeviceControls.scenarios {
            let vetoes = controls.vetoes(of: scenario).all
            expect(vetoes.contains(device.denied.contains(scenario)), "\(name): the veto of \(scenario) disagrees")
        }
        guard service.settings.telemetryRequested, let clientId = service.settings.clientIdentifier else {
            return expect(!service.isPaused && device.pause.isEmpty, "\(name): is off, and paused")
        }
        expect(service.isPaused == !device.pause.isEmpty, "\(name): the stored pause disagrees")
        let isPaused = service.isPaused
        expect(isPaused ? controls.mayBePaused : !controls.isPaused, "\(name): is \(isPaused ? "" : "not ")paused")
        let client = server.record(.client(clientId)).flatMap { try? TelemetryClientRecord(record: $0) }
        expect(client?.isPaused == isPaused, "\(name): the client's record disagrees on the pause")
        checkScenarios(of: controls, service, clientId, expect: expect)
    }

    private func checkScenarios(
        of controls: DeviceControls, _ service: TelemetryLifecycleService, _ clientId: String,
        expect: (Bool, @autoclosure () -> String) -> Void
    ) {
        let device = controls.device
        let rules = rules.filter { $0.applies(to: clientId, ofDevice: device.number, at: date(on: device)) }
        let applying = service.settings.telemetrySendingEnabled ? rules : []
        for scenario in DeviceControls.scenarios {
            guard let state = service.scenarios[scenario] else { continue }
            let ruled = applying.filter { $0.scenario == scenario }
            expect(
                isPossible(state, scenario, controls, ruled),
                "device \(device.number): \(scenario) is \(state), decisions \(controls.decisions(on: scenario)), rules \(ruled)")
            if !device.denied.contains(scenario) {
                let saved = device.scenarioStates[scenario] ?? TelemetryScenarioState()
                expect(saved == state, "device \(device.number): the saved \(scenario) disagrees")
            }
            let record = server.record(.scenario(scenario, ofClient: clientId))
            guard let record = try? record.map(TelemetryScenarioRecord.init(record:)), device.process?.hasRegistered == true
            else { continue }
            expect(
                record.isEnabled == state.isEnabled && record.level == state.level && Self.areEqual(record.expires, state.expires)
                    && record.source == state.source,
                "device \(device.number): the record of \(scenario) is \(record), the state \(state)")
        }
    }

    /// Whether two times are equal to the precision of stores: of two decisions within a millisecond, the record may have either end.
    private static func areEqual(_ one: Date?, _ other: Date?) -> Bool {
        guard let one, let other else { return one == other }
        return abs(one.timeIntervalSince(other)) < 0.002
    }

    private func isPossible(
        _ state: TelemetryScenarioState, _ scenario: String, _ controls: DeviceControls, _ rules: [SimulatedRule]
    ) -> Bool {
        let date = date(on: controls.device)
        let vetoes = controls.vetoes(of: scenario).all
        if vetoes.contains(true), state == TelemetryScenarioState(source: .host) { return true }
        guard vetoes.contains(false) else { return false }
        return controls.decisions(on: scenario).contains { decision in
            guard let decision else { return follows(state, rules) }
            if decision.mayHaveEnded(at: date, clockChanges: controls.clockChanges), follows(state, rules) { return true }
            return decision.matches(state, at: date)
        }
    }

    /// Whether the state is that of the most detailed rule.
    private func follows(_ state: TelemetryScenarioState, _ rules: [SimulatedRule]) -> Bool {
        guard let level = rules.map({ min($0.level, limits.level) }).max() else { return state == TelemetryScenarioState() }
        return rules.contains {
            min($0.level, limits.level) == level
                && state
                    == TelemetryScenarioState(
                        isEnabled: true, level: level, expires: $0.expires, source: .rule($0.ruleId))
        }
    }
}
