import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport

extension SimulatedWorld {
    /// How many of the viewers' commands the clients executed; the records of clients that opted out are gone.
    package var executedCommands: Int {
        commands.count { store.record(.command($0.commandId))?["status"]?.stringValue == "executed" }
    }

    /// Returns every invariant that does not hold at the end, after some time without faults.
    package func check() -> [String] {
        var found = violations
        func expect(_ holds: Bool, _ what: @autoclosure () -> String) { if !holds { found.append(what()) } }

        for device in devices {
            let name = "device \(device.number)"
            guard let process = device.process, let service = process.service else {
                found.append("\(name) does not run")
                continue
            }
            if let helper = device.helper { checkHelper(helper, expect: expect) }
            let settings = service.settings
            let clientId = settings.clientIdentifier
            expect(settings == device.settings, "\(name): the service says \(settings), the store \(device.settings)")
            expect(!service.hasPendingWork && device.work.deletions.isEmpty, "\(name) still has to do \(device.work)")
            expect(device.document.embeddedWork.isEmpty, "\(name): \(device.document.embeddedWork) was not moved")
            expect(settings.telemetryRequested == (clientId != nil), "\(name): requested and identifier disagree: \(settings)")
            expect(process.logger.isOn == settings.telemetrySendingEnabled, "\(name): the logger's switch disagrees")
            if process.logger.isOn { expect(process.logger.clientId == clientId, "\(name): the logger's client disagrees") }
            expect(process.logger.scenarios == service.scenarioStates, "\(name): the logger's scenarios disagree")
            for (scenario, isOn) in service.scenarioStates where isOn {
                expect(device.scenarioStates[scenario]?.isEnabled == true, "\(name): \(scenario) is on and was not persisted")
            }
            let status: TelemetryLifecycleService.Status =
                !settings.telemetryRequested ? .disabled : settings.telemetrySendingEnabled ? .enabled : .pendingApproval
            expect(service.status == status, "\(name): status \(service.status) with \(settings)")

            let client = clientId.flatMap { store.record(.client($0)) }.flatMap { try? TelemetryClientRecord(record: $0) }
            expect((client != nil) == settings.telemetryRequested, "\(name): record and consent disagree")
            if let client {
                expect(client.isEnabled == settings.telemetrySendingEnabled, "\(name): record and sending disagree")
            }
            for session in Set(store.events.map(\.sessionId)).intersection(device.endedSessions) {
                found.append("\(name): events of the ended session \(session) are left")
            }
            checkConsent(of: device, settings, expect: expect)
            checkScenarios(of: device, service, expect: expect)
            if let controls, let decided = device.controls { controls.check(decided, service, expect: expect) }
            checkDeparted(from: device, current: clientId, expect: expect)
        }
        for command in commands {
            guard let record = store.record(.command(command.commandId)) else { continue }
            // The client of a process that was killed before its settings could be written is in no settings.
            if hasFailingSettings, !devices.contains(where: { $0.identifiers.contains(command.clientId) }) { continue }
            expect(record["status"]?.stringValue != "pending", "\(command.commandId) (\(command.action)) never ended")
            let isBad = command.action == .enableScenario && command.scenarioName == nil
            if isBad { expect(record["status"]?.stringValue == "failed", "\(command.commandId) was run without a scenario") }
        }
        expect(isBystanderUntouched, "something of the bystander was touched")
        return found
    }

    private func checkHelper(_ helper: SimulatedProcess, expect: (Bool, @autoclosure () -> String) -> Void) {
        guard let service = helper.service else { return expect(false, "\(helper.name) does not run") }
        let settings = helper.device.settings
        expect(service.settings == settings, "\(helper.name): the service says \(service.settings), the store \(settings)")
        expect(helper.logger.isOn == settings.telemetrySendingEnabled, "\(helper.name): the logger's switch disagrees")
        if helper.logger.isOn {
            expect(helper.logger.clientId == settings.clientIdentifier, "\(helper.name): the logger's client disagrees")
        }
        let status: TelemetryLifecycleService.Status =
            !settings.telemetryRequested ? .disabled : settings.telemetrySendingEnabled ? .enabled : .pendingApproval
        expect(service.status == status, "\(helper.name): status \(service.status) with \(settings)")
    }

    /// Checks that when a command has ended, every older one of the same client has too: otherwise the older one may run later.
    func checkOrder(of saved: [TelemetryRecord]) {
        func isPending(_ record: TelemetryRecord?) -> Bool { record?["status"]?.stringValue == "pending" }
        for record in saved where record.recordType == TelemetrySchema.commandRecordType && !isPending(record) {
            for command in commands.prefix(while: { .command($0.commandId) != record.recordID })
            where .string(command.clientId) == record["clientid"] && isPending(store.record(.command(command.commandId))) {
                violate("\(record.recordID) ended before \(command.commandId)")
            }
        }
    }

    private func checkConsent(
        of device: SimulatedDevice, _ settings: TelemetrySettings, expect: (Bool, @autoclosure () -> String) -> Void
    ) {
        guard device.consent.isBinding, !device.consent.isAmbiguous else { return }
        if !device.consent.isWanted {
            expect(!settings.telemetryRequested, "device \(device.number): opted out, and is on")
        } else if turnedOff.isDisjoint(with: device.identifiers), !hasFailingSettings {
            expect(settings.telemetryRequested, "device \(device.number): opted in, and is off")
        }
        guard let clientId = settings.clientIdentifier, !turnedOff.contains(clientId) else { return }
        let isApproved = commands.contains {
            $0.clientId == clientId && $0.action == .enable
                && store.record(.command($0.commandId))?["status"]?.stringValue == "executed"
        }
        if isApproved { expect(settings.telemetrySendingEnabled, "device \(device.number): approved, and does not send") }
    }

    private func checkScenarios(
        of device: SimulatedDevice, _ service: TelemetryLifecycleService, expect: (Bool, @autoclosure () -> String) -> Void
    ) {
        if let clientId = service.settings.clientIdentifier {
            let records = store.records(ofType: TelemetrySchema.scenarioRecordType, client: clientId)
                .compactMap { try? TelemetryScenarioRecord(record: $0) }
            expect(Set(records.map(\.scenarioName)).count == records.count, "device \(device.number): duplicate scenario records")
            // Until this process has registered scenarios, those of an earlier process may have records.
            for record in records where device.process?.hasRegistered == true {
                expect(
                    service.scenarioStates[record.scenarioName] == record.isEnabled,
                    "device \(device.number): the record of \(record.scenarioName) says \(record.isEnabled)")
            }
        }
        guard controls == nil else { return }
        // Only viewers switch V. The last executed command decides, unless a command that was since deleted with its client
        // decided otherwise.
        var possible: Set<Bool?> = [nil]
        for command in commands where device.identifiers.contains(command.clientId) && command.scenarioName == "V" {
            let status = store.record(.command(command.commandId))?["status"]?.stringValue
            let state = command.action == .enableScenario
            if status == "executed" { possible = [state] } else if status == nil { possible.insert(state) }
        }
        let isOn = device.scenarioStates["V"]?.isEnabled
        expect(
            possible.contains(isOn), "device \(device.number): V is \(isOn.map(String.init) ?? "unset"), not as commanded")
    }

    private func checkDeparted(
        from device: SimulatedDevice, current: String?, expect: (Bool, @autoclosure () -> String) -> Void
    ) {
        for clientId in Set(device.identifiers) where clientId != current {
            for type in [TelemetrySchema.clientRecordType, TelemetrySchema.scenarioRecordType] {
                expect(store.records(ofType: type, client: clientId).isEmpty, "\(clientId) left a \(type)")
            }
            expect(!store.events.contains { $0.clientId == clientId }, "\(clientId) left events")
            let commands = store.records(ofType: TelemetrySchema.commandRecordType, client: clientId)
            expect(
                commands.allSatisfy { $0["action"] == "disable" && $0["status"] == "executed" }, "\(clientId) left commands")
        }
    }
}
