import TelemetryLogging
import TelemetryPersistence

/// The truth about the scenarios of this session: which are registered, and which are on.
///
/// What is shown, what is persisted and what the logger knows change together, before the store is called.
@MainActor
final class ScenarioRegistry {
    /// What was registered; nil before the first registration and after the end of a session, when nothing is known to be gone.
    private(set) var registered: Set<String>?
    /// What was registered when consent ended, until it is registered again.
    private var suspended: Set<String>?
    private var states: [String: Bool] = [:]
    private let store: any TelemetryScenarioStoring
    private let logger: any TelemetryLogging
    private let show: @MainActor ([String: Bool]) -> Void

    init(
        store: any TelemetryScenarioStoring, logger: any TelemetryLogging, show: @escaping @MainActor ([String: Bool]) -> Void
    ) {
        self.store = store
        self.logger = logger
        self.show = show
    }

    /// The states of what is registered: what the records at the store should say. Nil where nothing was registered.
    var mirrored: [String: Bool]? {
        registered.map { names in states.filter { names.contains($0.key) } }
    }

    /// Replaces what is registered. States that were persisted come back; scenarios that were only switched so far stay.
    func register(_ names: [String]) async {
        let names = Set(names)
        let gone = registered ?? []
        var next = states.filter { !gone.contains($0.key) }
        // One look for all names: a store may read all of its states to answer for one.
        let stored = names.allSatisfy { states[$0] != nil } ? [:] : await store.loadAllStates()
        for name in names { next[name] = states[name] ?? stored[name] ?? false }
        registered = names
        suspended = nil
        await publish(next)
    }

    /// Switches a scenario, registered or not.
    func set(_ name: String, isEnabled: Bool) async {
        var next = states
        next[name] = isEnabled
        await store.saveState(for: name, isEnabled: isEnabled)
        await publish(next)
    }

    /// Forgets the session; the persisted states stay.
    func clear() async {
        registered = nil
        suspended = nil
        await publish([:])
    }

    /// Consent has ended: no scenario is known until some are registered, or ``resume()``. The persisted states stay.
    func suspend() async {
        suspended = registered ?? suspended
        registered = nil
        if !states.isEmpty { await publish([:]) }
    }

    /// Registers again what was registered when consent ended.
    func resume() async {
        if let suspended { await register(Array(suspended)) }
    }

    /// Sends the states to the logger again.
    func push() async { await logger.updateScenarioStates(states) }

    private func publish(_ next: [String: Bool]) async {
        states = next
        show(next)
        await logger.updateScenarioStates(next)
    }
}
