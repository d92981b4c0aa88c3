import Foundation
import TelemetryLifecycle
import TelemetryModels
import TelemetryTransport

/// Leases, rules, vetoes and pauses of a simulation: what was decided, and what must hold at every step.
@MainActor
final class SimulatedControls {
    unowned let world: SimulatedWorld
    let server: SimulatedServer
    let limits: ViewerLimits
    let devices: [DeviceControls]
    let planted: PlantedFault?
    /// The rules in the store.
    var rules: [SimulatedRule] = []
    /// Every version that a rule ever had.
    var ruleVersions: [SimulatedRule] = []
    private var steps = 0

    init(of world: SimulatedWorld, server: SimulatedServer, limits: ViewerLimits, planted: PlantedFault?) {
        self.world = world
        self.server = server
        self.limits = limits
        self.planted = planted
        devices = world.devices.map { DeviceControls($0, limits: limits) }
        for controls in devices { controls.device.controls = controls }
    }

    var policy: TelemetryPolicy {
        TelemetryPolicy(maximumLevel: limits.level, maximumLease: limits.lease.map { .seconds($0) })
    }

    func nextStep() -> Int {
        steps += 1
        return steps
    }

    func date(on device: SimulatedDevice) -> Date { SimulatedWorld.date(of: world.clock) + device.skew.seconds }

    /// The model of a client's device.
    private func controls(of clientId: String) -> DeviceControls? {
        devices.first { $0.device.identifiers.contains(clientId) }
    }

    // MARK: What happens

    func created(_ command: TelemetryCommandRecord) {
        controls(of: command.clientId)?.created(command)
        observe()
    }

    /// A process reads a record by its identifier, as before it applies a command.
    func read(_ id: TelemetryRecord.ID, by process: SimulatedProcess) {
        guard let controls = process.device.controls, let command = controls.command(id), command.outcome == nil else { return }
        command.read(
            byProcess: process.number, step: nextStep(), at: date(on: process.device), clockChanges: controls.clockChanges,
            endCount: controls.endCount)
        observe()
    }

    /// A process has saved records.
    func saved(_ records: [TelemetryRecord], by process: SimulatedProcess) {
        guard let controls = process.device.controls else { return }
        for record in records {
            guard let command = controls.command(record.recordID), command.outcome == nil,
                let status = record["status"]?.stringValue.flatMap(TelemetrySchema.CommandStatus.init(rawValue:)),
                status != .pending
            else { continue }
            checkOutcome(status, of: command, record, in: controls)
            command.outcome = (status, nextStep())
            if status == .executed {
                controls.executed(command)
            } else {
                controls.ended(command, byProcess: process.number)
            }
        }
        observe()
    }

    /// The time has passed or was set.
    func observe() {
        for controls in devices { controls.observe(at: date(on: controls.device)) }
    }

    func clockChanged(on device: SimulatedDevice) {
        device.controls?.clockChanged()
        observe()
    }

    // MARK: What must hold at every step

    /// A logger has recorded an event.
    func recorded(_ scenario: String?, _ level: TelemetryLogLevel, _ clientId: String, by process: SimulatedProcess) {
        guard let controls = process.device.controls else { return }
        if controls.isPaused { world.violate("\(process.name) recorded an event while it was paused") }
        guard let scenario else { return }
        if controls.vetoes(of: scenario).all.allSatisfy(\.self) {
            world.violate("\(process.name) recorded an event of \(scenario), which is forbidden")
        }
        let date = date(on: process.device)
        let isDecided = controls.decisions(on: scenario).contains { $0?.permits(level, at: date) ?? false }
        let isRuled = ruleVersions.contains {
            $0.scenario == scenario && level <= min($0.level, limits.level)
                && $0.applies(to: clientId, ofDevice: process.device.number, at: date)
        }
        if !isDecided, !isRuled { world.violate("\(process.name) recorded a \(level) event of \(scenario) without a reason") }
    }

    private func checkOutcome(
        _ status: TelemetrySchema.CommandStatus, of command: SimulatedCommand, _ record: TelemetryRecord,
        in controls: DeviceControls
    ) {
        let what = "\(command.record.commandId) (\(command.record.action)) is \(status.rawValue)"
        let isExplained = record["errorMessage"]?.stringValue.map { !$0.isEmpty } ?? false
        if status != .executed, !isExplained { world.violate("\(what) without a message") }
        if command.hasAlwaysExpired, status != .expired { world.violate("\(what) although it had expired") }
        switch status {
        case .executed where !command.mayBeAllowed: world.violate("\(what) although it was forbidden")
        case .rejected where !command.mayBeForbidden: world.violate("\(what) although nothing forbade it")
        case .expired where !command.canExpire: world.violate("\(what) before its expiry")
        case .superseded where !isReplaced(command, in: controls): world.violate("\(what) by no other command")
        default: break
        }
    }

    /// Whether a later command that has not expired may replace the command.
    private func isReplaced(_ command: SimulatedCommand, in controls: DeviceControls) -> Bool {
        guard let subject = command.subject, let index = controls.commands.firstIndex(where: { $0 === command })
        else { return false }
        return controls.commands[(index + 1)...].contains {
            $0.subject == subject && $0.record.clientId == command.record.clientId && !$0.hasAlwaysExpired && $0.outcome == nil
        }
    }
}
