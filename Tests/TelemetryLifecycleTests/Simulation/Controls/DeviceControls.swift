import Foundation
import TelemetryModels

/// What the user, the host and viewers decided on one device, as a model that is independent of the library.
@MainActor
final class DeviceControls {
    static let scenarios = ["A", "B", "V"]

    unowned let device: SimulatedDevice
    let limits: ViewerLimits
    private(set) var commands: [SimulatedCommand] = []
    private(set) var clockChanges = 0
    private var decisions: [String: PossibleValues<ExpectedDecision?>] = [:]
    private var vetoes: [String: PossibleValues<Bool>] = [:]
    private(set) var hostPause = PossibleValues(false)
    private var viewerPause = PossibleValues(false)
    /// The host's decisions that took effect, and the steps at which their calls returned.
    private var hostDecisions: [(step: Int, scenario: String, decision: ExpectedDecision?)] = []
    /// The steps at which the host's calls to resume returned.
    private var resumptions: [Int] = []
    /// How often telemetry ended on the device.
    private(set) var endCount = 0

    init(_ device: SimulatedDevice, limits: ViewerLimits) {
        self.device = device
        self.limits = limits
        for scenario in Self.scenarios {
            decisions[scenario] = PossibleValues(nil)
            vetoes[scenario] = PossibleValues(false)
        }
    }

    // MARK: What may be in effect

    func vetoes(of scenario: String) -> PossibleValues<Bool> { vetoes[scenario] ?? PossibleValues(false) }

    /// The explicit decisions that may be in effect.
    func decisions(on scenario: String) -> [ExpectedDecision?] {
        (decisions[scenario]?.all ?? [])
            + commands.filter { $0.mayBeApplied && $0.subject == .scenario(scenario) }.map { $0.decision(under: limits) }
    }

    var viewerPauses: [Bool] {
        viewerPause.all + commands.filter { $0.mayBeApplied && $0.subject == .pause }.map { $0.record.action == .pause }
    }

    /// Whether telemetry is certainly paused.
    var isPaused: Bool { hostPause.all.allSatisfy(\.self) || viewerPauses.allSatisfy(\.self) }

    /// Whether telemetry may be paused.
    var mayBePaused: Bool { hostPause.all.contains(true) || viewerPauses.contains(true) }

    // MARK: The host's calls

    func beginDecision(_ call: Int, on scenario: String, _ decision: ExpectedDecision?) {
        decisions[scenario]?.begin(call, decision)
    }

    /// - Parameter isRefused: Whether the call had no effect because of the user's veto.
    func endDecision(_ call: Int, on scenario: String, _ decision: ExpectedDecision?, isRefused: Bool, step: Int) {
        guard !isRefused else { return decisions[scenario]?.cancel(call) ?? () }
        let later = executed(.scenario(scenario), since: call).map { $0.decision(under: limits) }
        decisions[scenario]?.end(call, or: later)
        hostDecisions.append((step, scenario, decision))
    }

    func beginVeto(_ call: Int, of scenario: String, isDenied: Bool) { vetoes[scenario]?.begin(call, isDenied) }
    func endVeto(_ call: Int, of scenario: String) { vetoes[scenario]?.end(call) }

    func beginPause(_ call: Int, isPaused: Bool) {
        hostPause.begin(call, isPaused)
        if !isPaused { viewerPause.begin(call, false) }
    }

    /// - Parameter isEffective: Whether telemetry was requested during the whole call.
    func endPause(_ call: Int, isPaused: Bool, isEffective: Bool, step: Int) {
        guard isEffective || !isPaused else { return hostPause.endUncertainly(call) }
        hostPause.end(call)
        guard !isPaused else { return }
        viewerPause.end(call, or: executed(.pause, since: call).map { $0.record.action == .pause })
        resumptions.append(step)
    }

    private func executed(_ subject: SimulatedCommand.Subject, since step: Int) -> [SimulatedCommand] {
        commands.filter { $0.subject == subject && $0.outcome.map { $0.status == .executed && $0.step > step } ?? false }
    }

    // MARK: Viewers' commands

    func created(_ command: TelemetryCommandRecord) { commands.append(SimulatedCommand(command)) }

    func command(_ id: TelemetryRecord.ID) -> SimulatedCommand? { commands.first { $0.id == id } }

    /// Notes that a command was applied, at the latest now.
    func executed(_ command: SimulatedCommand) {
        let read = command.firstRead ?? 0
        switch command.subject {
        case .scenario(let name):
            let later = hostDecisions.filter { $0.scenario == name && $0.step > read }.map(\.decision)
            decisions[name]?.set([command.decision(under: limits)] + later)
        case .pause:
            // It may have been applied long before that was written.
            let hasEnded = resumptions.contains { $0 > read } || command.endCount != endCount
            viewerPause.set([command.record.action == .pause] + (hasEnded ? [false] : []))
        case nil: break
        }
    }

    /// Notes that a command ended without being applied by the process that ended it. An earlier process may have applied it.
    func ended(_ command: SimulatedCommand, byProcess number: Int) {
        guard command.readers.contains(where: { $0 != number }) else { return }
        switch command.subject {
        case .scenario(let name): decisions[name]?.add(command.decision(under: limits))
        case .pause: viewerPause.add(command.record.action == .pause)
        case nil: break
        }
    }

    // MARK: The device

    func clockChanged() { clockChanges += 1 }

    func processDied() {
        for scenario in Self.scenarios {
            decisions[scenario]?.processDied()
            vetoes[scenario]?.processDied()
        }
        hostPause.processDied()
        viewerPause.processDied()
    }

    /// Telemetry is not requested any more: then there is nothing to pause.
    func requestEnded() {
        endCount += 1
        hostPause.add(false)
        viewerPause.add(false)
    }

    /// Notes what may be true for the commands that have not ended.
    func observe(at date: Date) {
        for command in commands where command.outcome == nil {
            command.note(at: date)
            switch (command.record.action, command.subject) {
            case (.enableScenario, .scenario(let name)): command.note(forbidden: vetoes(of: name).all)
            case (.resume, _): command.note(forbidden: hostPause.all)
            default: command.note(forbidden: [false])
            }
        }
    }
}
