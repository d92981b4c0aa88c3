import TelemetryLogging
import TelemetryModels
import TelemetryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The truth about the scenarios of this session: which are registered, what was decided on them, and which are on.
///
/// What is shown, what is persisted and what the logger knows change together, before the store is called.
@MainActor
final class ScenarioRegistry {
    typealias State = TelemetryScenarioState

    /// What was registered; nil before the first registration and after the end of a session, when nothing is known to be gone.
    private(set) var registered: Set<String>?
    /// What was registered when consent ended, until it is registered again.
    private var suspended: Set<String>?
    /// The states that hold.
    private(set) var states: [String: State] = [:]
    /// What the person forbids.
    private(set) var denied: Set<String> = []
    /// Who paused telemetry.
    private(set) var pause: TelemetryPause = []
    /// The rules at the store; nil while they are not known.
    private var rules: [TelemetryRuleRecord]?
    /// The decisions behind the states, where there are any.
    private var decisions: [String: State] = [:]
    /// What the store has of the known scenarios.
    private var persisted: [String: State] = [:]
    private var hasLoaded = false
    private let store: any TelemetryScenarioStoring
    private let logger: any TelemetryLogging
    private let policy: TelemetryPolicy
    private let attributes: [String: String]
    private let now: @Sendable () -> Date
    private let shown: LifecycleState

    init(
        store: any TelemetryScenarioStoring, logger: any TelemetryLogging,
        configuration: TelemetryLifecycleService.Configuration, state: LifecycleState
    ) {
        self.store = store
        self.logger = logger
        policy = configuration.policy
        attributes = configuration.clientAttributes
        now = configuration.date
        shown = state
    }

    /// The states of what is registered: what the records at the store should say. Nil where nothing was registered.
    var mirrored: [String: State]? {
        registered.map { names in states.filter { names.contains($0.key) } }
    }

    /// When the first of the states and decisions ends; nil where none does by itself.
    var nextEnd: Date? { (states.values.compactMap(\.expires) + decisions.values.compactMap(\.expires)).min() }

    /// Reads what the person forbids and who paused, once.
    func load() async {
        guard !hasLoaded else { return }
        hasLoaded = true
        denied = await store.loadDeniedScenarios()
        shown.show(denied: denied)
        pause = await store.loadPause()
    }

    func setPause(_ pause: TelemetryPause) async {
        await load()
        self.pause = pause
        await store.savePause(pause)
    }

    /// Replaces what is registered. States that were persisted come back, except for those that have ended; scenarios that were
    /// only switched so far stay.
    func register(_ names: [String]) async {
        let names = Set(names)
        let kept = Set(states.keys).subtracting(registered ?? []).union(names)
        // One look for all names: a store may read all of its states to answer for one.
        let stored = names.allSatisfy { states[$0] != nil } ? [:] : await store.loadAllScenarios()
        for name in names where states[name] == nil {
            decisions[name] = stored[name]
            persisted[name] = stored[name]
        }
        registered = names
        suspended = nil
        await publish(kept)
    }

    /// Takes an explicit decision on a scenario, registered or not.
    /// - Parameter decision: Nil to drop the one before.
    func decide(_ name: String, _ decision: State?) async {
        decisions[name] = decision
        await publish(Set(states.keys).union([name]), deciding: name)
    }

    /// The person forbids a scenario, or allows it again.
    func setDenied(_ name: String, _ isDenied: Bool) async {
        await load()
        if isDenied { denied.insert(name) } else { denied.remove(name) }
        await store.saveDenied(isDenied, for: name)
        shown.show(denied: denied)
        await publish(Set(states.keys))
    }

    /// Decides anew on everything: time has passed, or the rules have changed.
    /// - Parameter rules: The rules at the store; nil where they have not been looked at.
    /// - Returns: the scenarios whose states have changed.
    @discardableResult
    func refresh(rules: [TelemetryRuleRecord]? = nil) async -> Set<String> {
        let before = states
        self.rules = rules ?? self.rules
        await publish(Set(before.keys), isForced: false)
        return Set(before.keys.filter { before[$0] != states[$0] })
    }

    /// Forgets the session; the persisted states stay.
    func clear() async {
        registered = nil
        suspended = nil
        await publish([])
    }

    /// Consent has ended: no scenario is known until some are registered, or ``resume()``. The persisted states stay.
    func suspend() async {
        suspended = registered ?? suspended
        registered = nil
        rules = nil
        if !states.isEmpty { await publish([]) }
    }

    /// Registers again what was registered when consent ended.
    func resume() async {
        if let suspended { await register(Array(suspended)) }
    }

    /// - Parameters:
    ///   - names: The scenarios that are known from now on.
    ///   - decided: The scenario that was decided on: its state is saved in any case, because another process may have changed it.
    ///   - isForced: Whether the logger gets states that are as they were.
    private func publish(_ names: Set<String>, deciding decided: String? = nil, isForced: Bool = true) async {
        let context = ScenarioDecision.Context(
            clientId: shown.settings.clientIdentifier, attributes: attributes, policy: policy, deniedScenarios: denied,
            rules: rules)
        let date = now()
        var next: [String: State] = [:]
        for name in names {
            let decision = ScenarioDecision(on: name, after: decisions[name], in: context, at: date)
            decisions[name] = decision.decision
            next[name] = decision.state
            // The decision outlasts the veto.
            let lasting = decision.decision ?? (denied.contains(name) ? State() : decision.state)
            guard name == decided || persisted[name] ?? State() != lasting else { continue }
            persisted[name] = lasting
            await store.saveScenario(lasting, for: name)
        }
        for name in Set(decisions.keys).union(persisted.keys).subtracting(names) {
            decisions[name] = nil
            persisted[name] = nil
        }
        guard isForced || next != states else { return }
        states = next
        shown.show(next)
        await logger.updateScenarios(next)
    }
}
