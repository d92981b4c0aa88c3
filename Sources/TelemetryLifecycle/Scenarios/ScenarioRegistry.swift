import TelemetryLogging
import TelemetryModels
import TelemetryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The source of truth for the scenarios of this session: which are registered, the decisions on them, and their states.
///
/// All states are decided at once. Then they are saved, passed to the logger and displayed, before the client's records are changed.
@MainActor
final class ScenarioRegistry {
    typealias State = TelemetryScenarioState

    /// The registered scenarios; nil before the first registration and after the end of a session, when it is unknown which
    /// records are obsolete.
    private(set) var registered: Set<String>?
    /// The scenarios that were registered when consent ended, until they are registered again.
    private var suspended: Set<String>?
    /// The states in effect.
    private(set) var states: [String: State] = [:]
    /// When scenarios whose budget is used up record again. Only displayed: the decisions stay as they are.
    private var suspensions: [String: Date] = [:]
    /// The rules in the store; nil while they are unknown.
    private var rules: ScenarioRules?
    /// The decisions that led to the states.
    private var decisions: [String: State] = [:]
    /// The persisted decisions and states of the known scenarios.
    private var persisted: [String: State] = [:]
    /// The triggers of the rules that apply, and those that the logger has.
    private var triggers: [EventTrigger] = []
    private var passedTriggers: [EventTrigger] = []
    /// Called with what a trigger demands.
    var onFiring: @Sendable (TriggerFiring) -> Void = { _ in }
    /// Whether the denied scenarios were passed to the logger.
    private var hasPassedDenied = false
    private let controls: SharedControls
    private let store: any TelemetryScenarioStoring
    private let logger: any ControlledLogger
    private let policy: TelemetryPolicy
    private let attributes: [String: String]
    private let now: @Sendable () -> Date
    private let shown: LifecycleState
    private let effects: SerialQueue

    init(
        store: any TelemetryScenarioStoring, logger: any ControlledLogger,
        configuration: TelemetryLifecycleService.Configuration, state: LifecycleState
    ) {
        self.store = store
        controls = SharedControls(store: store)
        self.logger = logger
        policy = configuration.policy
        attributes = configuration.clientAttributes
        now = configuration.date
        shown = state
        effects = SerialQueue(executor: configuration.executor)
    }

    /// The states of the registered scenarios, which the records in the store should have. Nil if none were registered.
    var mirrored: [String: State]? {
        registered.map { names in states.filter { names.contains($0.key) } }
    }

    /// The scenarios that the user forbids.
    var denied: Set<String> { controls.denied }
    /// Who paused telemetry.
    var pause: TelemetryPause { controls.pause }

    /// When the first of the states and decisions expires; nil if none does.
    var nextEnd: Date? { (states.values.compactMap(\.expires) + decisions.values.compactMap(\.expires)).min() }

    /// Reads the denied scenarios and the pause, which another process of the app may have changed. The states follow at once,
    /// their records at the next reconciliation.
    func load() async {
        let before = denied
        await controls.read()
        if !hasPassedDenied { await passDenied() }
        if denied != before { await showDenied(isForced: false) }
    }

    func changePause(_ change: (TelemetryPause) -> TelemetryPause) async { await controls.changePause(change) }

    /// Replaces the registered scenarios. Persisted states that have not expired are restored. Scenarios that were decided on but
    /// never registered stay.
    func register(_ names: [String]) async {
        let names = Set(names)
        // One read for all names: a store may read all of its states to return one.
        let stored = names.allSatisfy { states[$0] != nil } ? [:] : await store.loadAllScenarios()
        for name in names where states[name] == nil {
            decisions[name] = stored[name]
            persisted[name] = stored[name]
        }
        let kept = Set(states.keys).subtracting(registered ?? []).union(names)
        registered = names
        suspended = nil
        await publish(kept)
    }

    /// Applies an explicit decision on a scenario, registered or not.
    /// - Parameter decision: Nil to drop the earlier one.
    func decide(_ name: String, _ decision: State?) async {
        decisions[name] = decision
        await publish(Set(states.keys).union([name]), deciding: name)
    }

    /// Turns a scenario on because a rule's trigger demands it. An explicit decision stays, and so does a rule's that records more.
    /// - Parameter lease: How long it stays on, in seconds, as far as the policy allows.
    /// - Returns: Whether a rule decides on the scenario.
    func enable(by rule: TelemetryRuleRecord, lease: TimeInterval) async -> Bool {
        let name = rule.scenarioName
        guard let grant = try? LeaseGrant(level: rule.level, lease: lease, policy: policy) else { return false }
        let end = [grant.expires(from: now()), rule.expires].compactMap(\.self).min()
        let state = State(
            isEnabled: true, level: grant.level, expires: end, source: .rule(rule.ruleId),
            contextConditions: rule.contextConditions)
        if states[name] == nil, persisted[name] == nil {
            // The scenario is not registered, and may have been decided on in an earlier run.
            let stored = await store.loadAllScenarios()[name]
            // An opt-out, or a change of the rules, may have come between.
            guard rules?[name].contains(rule) == true else { return false }
            if states[name] == nil, persisted[name] == nil { (decisions[name], persisted[name]) = (stored, stored) }
        }
        let current = decisions[name].flatMap { $0.hasExpired(at: now()) ? nil : $0 }
        switch current?.source {
        case .registration where current?.isEnabled == false: break
        case nil: break
        case .rule: guard state.exceeds(current) else { return true }
        case .registration, .host, .viewer: return false
        }
        decisions[name] = state
        await publish(Set(states.keys).union([name]))
        return true
    }

    /// The rule of a trigger, if it still applies.
    func rule(of trigger: EventTrigger) -> TelemetryRuleRecord? { context.rule(of: trigger, at: now()) }

    /// Forbids a scenario on the user's behalf, or allows it again.
    func setDenied(_ name: String, _ isDenied: Bool) async {
        await controls.setDenied(name, isDenied)
        await showDenied(isForced: true)
    }

    private func showDenied(isForced: Bool) async {
        await passDenied()
        shown.show(denied: denied)
        await publish(Set(states.keys), isForced: isForced)
    }

    /// Passes to the logger what it must neither report nor keep: a budget's reports and the flight recorder's events of the denied
    /// scenarios.
    private func passDenied() async {
        hasPassedDenied = true
        logger.withholdBudgetReports(of: denied)
        await logger.setRecordedScenarios(
            policy.recordedScenarios.subtracting(denied), level: policy.maximumLevel,
            capturesAfterCrash: policy.capturesAfterCrash)
    }

    /// Decides all states again, because time has passed or the rules have changed.
    /// - Parameter rules: The rules in the store; nil if they have not been read again.
    /// - Returns: The scenarios whose states have changed.
    @discardableResult
    func refresh(rules: [TelemetryRuleRecord]? = nil) async -> Set<String> {
        let before = states
        if let rules { self.rules = ScenarioRules(rules) }
        // The logger's gate may have ended a lease by a clock that was set back since.
        let hasLease = before.values.contains { $0.isEnabled && $0.expires != nil }
        await publish(Set(before.keys), isForced: hasLease)
        return Set(before.keys.filter { before[$0] != states[$0] })
    }

    /// Displays which scenarios record nothing because their budget is used up, and until when.
    func showSuspensions(_ suspensions: [String: Date]) {
        self.suspensions = suspensions
        showStates()
    }

    private func showStates() {
        var shownStates = states
        for (name, end) in suspensions where states[name]?.isEnabled == true { shownStates[name]?.suspendedUntil = end }
        shown.show(shownStates)
    }

    /// Discards the session's scenarios; the persisted states are kept.
    func clear() async {
        registered = nil
        suspended = nil
        await publish([])
    }

    /// Discards the scenarios because consent has ended, until some are registered or ``resume()`` is called. The persisted
    /// states are kept.
    func suspend() async {
        suspended = registered ?? suspended
        registered = nil
        rules = nil
        if !states.isEmpty || !triggers.isEmpty { await publish([]) }
    }

    /// Registers the scenarios that were registered when consent ended.
    func resume() async {
        if let suspended { await register(Array(suspended)) }
    }

    private var context: ScenarioDecision.Context {
        ScenarioDecision.Context(
            clientId: shown.settings.clientIdentifier, attributes: attributes, policy: policy, deniedScenarios: denied,
            rules: rules)
    }

    /// Decides before it waits, because a trigger may act meanwhile.
    /// - Parameters:
    ///   - names: The scenarios to keep.
    ///   - decided: The scenario that was decided on. Its state is always saved, because another process may have changed it.
    ///   - isForced: Whether the logger gets the states even if they have not changed.
    private func publish(_ names: Set<String>, deciding decided: String? = nil, isForced: Bool = true) async {
        let (context, date) = (context, now())
        var next: [String: State] = [:]
        var changed: Set<String> = []
        for name in names {
            let decision = ScenarioDecision(on: name, after: decisions[name], in: context, at: date)
            decisions[name] = decision.decision
            next[name] = decision.state
            // The decision is kept during the veto.
            let lasting = decision.decision ?? (denied.contains(name) ? State() : decision.state)
            guard name == decided || persisted[name] ?? State() != lasting else { continue }
            persisted[name] = lasting
            changed.insert(name)
        }
        for name in Set(decisions.keys).union(persisted.keys).subtracting(names) {
            decisions[name] = nil
            persisted[name] = nil
        }
        let isChanged = next != states
        states = next
        showRuleActions()
        triggers = context.triggers(at: date)
        await effects.perform { await self.apply(saving: changed, isForced: isForced || isChanged) }
    }

    private func showRuleActions() {
        let actions: [TelemetryOverview.ViewerAction] = states.compactMap { name, state in
            guard state.isEnabled, case .rule(let ruleId) = state.source else { return nil }
            let rule = rules?[name].first { $0.ruleId == ruleId }
            return rule.map { .init(.enableScenario, by: $0, at: $0.created) }
        }
        shown.show(ruleActions: actions.newest)
    }

    /// Passes what was decided to the store and the logger. One call at a time, so that a later decision is in effect last.
    private func apply(saving changed: Set<String>, isForced: Bool) async {
        // Sorted, so that a replayed simulation saves in the same order.
        for name in changed.sorted() {
            if let state = persisted[name] { await store.saveScenario(state, for: name) }
        }
        if passedTriggers != triggers {
            passedTriggers = triggers
            await logger.setTriggers(passedTriggers, onFiring: onFiring)
            shown.show(passedTriggers)
        }
        guard isForced else { return }
        // An app that logs as soon as a scenario is shown as on must be recorded.
        await logger.updateScenarios(states)
        showStates()
    }
}
