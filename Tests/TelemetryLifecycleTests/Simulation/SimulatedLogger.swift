import Synchronization
import TelemetryLogging
import TelemetryModels

/// A logger that records at once what passes its gate.
actor SimulatedLogger: TelemetrySessionRenewing {
    private struct State {
        var isOn = false
        var clientId: String?
        var scenarios: [String: Bool] = [:]
        var session = 1
    }

    private nonisolated let name: String
    private nonisolated let state = Mutex(State())
    @MainActor weak var process: SimulatedProcess?

    /// - Parameter name: How its sessions are named, beside their number.
    init(name: String) { self.name = name }

    nonisolated var currentSessionId: String { state.withLock { "\(name).\($0.session)" } }

    nonisolated var unownedExecutor: UnownedSerialExecutor { MainActor.sharedUnownedExecutor }

    nonisolated var isOn: Bool { state.withLock(\.isOn) }
    nonisolated var clientId: String? { state.withLock(\.clientId) }
    nonisolated var scenarios: [String: Bool] { state.withLock(\.scenarios) }

    nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue]
    ) {
        let clientId: String?? = state.withLock { state in
            guard state.isOn, scenario.map({ state.scenarios[$0] == true }) ?? true else { return nil }
            return .some(state.clientId)
        }
        guard let clientId else { return }
        MainActor.assumeIsolated { process?.world.recorded(clientId, session: currentSessionId, by: process) }
    }

    func setClientIdentifier(_ clientId: String?) async {
        await pass("identify logger")
        state.withLock { $0.clientId = clientId }
    }
    func updateScenarioStates(_ states: [String: Bool]) async {
        await pass("push scenarios")
        state.withLock { $0.scenarios = states }
    }
    func activate(enabled: Bool) async {
        await pass("activate logger")
        state.withLock { $0.isOn = enabled }
    }
    func setEnabled(_ enabled: Bool) async {
        await pass("switch logger")
        state.withLock { $0.isOn = enabled }
    }
    func renewSession() async -> String? {
        await pass("renew session")
        let ended = currentSessionId
        state.withLock { $0.session += 1 }
        return ended
    }
    func flush() async {}
    func shutdown() async {}

    @MainActor
    private func pass(_ what: String) async {
        guard let process else { return }
        await process.world.storeGate(process, what)
    }
}
