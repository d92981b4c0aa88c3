import Foundation
import Synchronization
import TelemetryLogging
import TelemetryModels

/// A logger that immediately passes on the events that it accepts.
actor SimulatedLogger: TelemetryLogging, ControlledLogger {
    private struct State {
        var isOn = false
        var isWithdrawn = false
        var clientId: String?
        var isPaused = false
        var scenarios: [String: TelemetryScenarioState] = [:]
        var session = 1
        /// The number of times it was turned off.
        var generation = 0
        /// The number of deliveries in progress, by the generation in which they began.
        var deliveries: [Int: Int] = [:]
        var check: TelemetryConsentCheck?
        var capturesAfterCrash: Bool?
        var sessions = TelemetrySessionStatus()
    }

    private nonisolated let name: String
    private nonisolated let state = Mutex(State())
    @MainActor weak var process: SimulatedProcess?

    /// - Parameters:
    ///   - name: The prefix of its session identifiers.
    ///   - sessions: What it reports about sessions.
    init(name: String, sessions: TelemetrySessionStatus = TelemetrySessionStatus()) {
        self.name = name
        state.withLock { $0.sessions = sessions }
    }

    nonisolated var currentSessionId: String { state.withLock { "\(name).\($0.session)" } }

    nonisolated var unownedExecutor: UnownedSerialExecutor { MainActor.sharedUnownedExecutor }

    nonisolated var isOn: Bool { state.withLock { $0.isOn && !$0.isWithdrawn } }
    nonisolated var clientId: String? { state.withLock(\.clientId) }
    nonisolated var isPaused: Bool { state.withLock(\.isPaused) }
    nonisolated var fullScenarios: [String: TelemetryScenarioState] { state.withLock(\.scenarios) }
    nonisolated var scenarios: [String: Bool] { fullScenarios.mapValues(\.isEnabled) }

    nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue]
    ) {
        MainActor.assumeIsolated {
            guard let process else { return }
            let (date, planted) = (process.date, process.world.controls?.planted)
            let accepted = state.withLock { state -> (clientId: String?, generation: Int)? in
                guard state.isOn, !state.isWithdrawn, !state.isPaused || planted == .pauseIgnored else { return nil }
                if let scenario {
                    guard let decided = state.scenarios[scenario], decided.isEnabled,
                        level <= decided.level || planted == .levelIgnored,
                        !decided.hasExpired(at: date) || planted == .endIgnored
                    else { return nil }
                }
                return (state.clientId, state.generation)
            }
            guard let accepted else { return }
            process.accepted(accepted.clientId, generation: accepted.generation, scenario: scenario, level: level)
        }
    }

    func setClientIdentifier(_ clientId: String?) async {
        await pass("identify logger")
        state.withLock { $0.clientId = clientId }
    }
    func updateScenarioStates(_ states: [String: Bool]) async {
        await updateScenarios(states.mapValues { TelemetryScenarioState(isEnabled: $0) })
    }
    func updateScenarios(_ states: [String: TelemetryScenarioState]) async {
        await pass("push scenarios")
        let planted = await process?.world.controls?.planted
        state.withLock { state in
            var states = states
            if planted == .vetoIgnoredByRule {
                for (name, old) in state.scenarios where states[name] == .init(source: .host) {
                    if case .rule = old.source { states[name] = old }
                }
            }
            state.scenarios = states
        }
    }
    func setPaused(_ isPaused: Bool) async {
        await pass("pause logger")
        state.withLock { $0.isPaused = isPaused }
    }
    func activate(enabled: Bool) async {
        await pass("activate logger")
        turn(on: enabled)
    }
    func setEnabled(_ enabled: Bool) async {
        await pass("switch logger")
        turn(on: enabled)
    }
    func renewSession() async -> String? {
        await pass("renew session")
        let ended = currentSessionId
        state.withLock { $0.session += 1 }
        return ended
    }
    func flush() async {}
    func shutdown() async {}

    private func turn(on isOn: Bool) {
        state.withLock { state in
            state.isOn = isOn
            guard !isOn else { return }
            state.isWithdrawn = false
            state.generation += 1
        }
    }

    @MainActor
    private func pass(_ what: String) async {
        guard let process else { return }
        await process.world.storeGate(process, what)
    }

    // MARK: Not simulated

    nonisolated func beginShutdown() {}
    nonisolated var deliveredToday: TelemetryDeliveryCount? { nil }
    nonisolated func limit(
        to budget: ScenarioBudget?, onSuspension: @escaping @Sendable (_ suspensions: [String: Date]) async -> Void
    ) -> Bool { false }
    nonisolated func withholdBudgetReports(of scenarios: Set<String>) {}
    nonisolated var hasRecorder: Bool { false }
    nonisolated var sessionStatus: TelemetrySessionStatus { state.withLock(\.sessions) }
    /// Nil until the recorded scenarios are set.
    nonisolated var capturesAfterCrash: Bool? { state.withLock(\.capturesAfterCrash) }
    func setRecordedScenarios(_ scenarios: Set<String>, level: TelemetryLogLevel, capturesAfterCrash: Bool) async {
        state.withLock { $0.capturesAfterCrash = capturesAfterCrash }
    }
    func dumpRecorded(_ scenario: String, lookback: Double?) async -> Int? { nil }
    func setTriggers(_ triggers: [EventTrigger], onFiring: @escaping @Sendable (TriggerFiring) -> Void) async {}
    func reportAction(_ firing: TriggerFiring, captured: Int?) {}

    // MARK: Consent

    nonisolated func setConsentCheck(_ check: TelemetryConsentCheck) { state.withLock { $0.check = check } }
    nonisolated func withdraw() { state.withLock { $0.isWithdrawn = true } }

    nonisolated var hasStragglers: Bool {
        state.withLock { state in state.deliveries.keys.contains { $0 != state.generation } }
    }

    nonisolated var check: TelemetryConsentCheck? { state.withLock(\.check) }

    /// Whether no later change has ended the generation's deliveries.
    nonisolated func isCurrent(_ generation: Int) -> Bool {
        state.withLock { $0.isOn && !$0.isWithdrawn && $0.generation == generation }
    }

    nonisolated func deliveryBegins(_ generation: Int) { state.withLock { $0.deliveries[generation, default: 0] += 1 } }
    nonisolated func deliveryEnded(_ generation: Int) {
        state.withLock { state in
            let rest = (state.deliveries[generation] ?? 1) - 1
            state.deliveries[generation] = rest > 0 ? rest : nil
        }
    }
}
