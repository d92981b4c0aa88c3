#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A scenario's state: whether it is recorded, at which level, until when, and who decided it.
public struct TelemetryScenarioState: Sendable, Hashable {
    /// Who decided the state of a scenario.
    public enum Source: Sendable, Hashable {
        /// No decision yet: the host only registered the scenario.
        case registration
        /// The host's own code.
        case host
        /// A viewer's command.
        case viewer
        /// A rule that applies to the client, by its `ruleId`.
        case rule(String)
    }

    /// Whether the scenario's events are recorded.
    public var isEnabled: Bool
    /// The most detailed level that is recorded: `.info` records info events alone, `.diagnostic` both.
    public var level: TelemetryLogLevel
    /// When the client turns the scenario off automatically; nil if it stays on until it is turned off.
    public var expires: Date?
    /// Who decided the state.
    public var source: Source
    /// When recording resumes if the scenario's budget is used up; otherwise nil.
    public var suspendedUntil: Date?
    /// The conditions on the context of the task that logs. Only the events of tasks for which all hold are recorded.
    public var contextConditions: [TelemetryRuleCondition]

    /// Creates a state; the parameters are the properties of the same names.
    public init(
        isEnabled: Bool = false, level: TelemetryLogLevel = .diagnostic, expires: Date? = nil, source: Source = .registration,
        suspendedUntil: Date? = nil, contextConditions: [TelemetryRuleCondition] = []
    ) {
        self.isEnabled = isEnabled
        self.level = level
        self.expires = expires
        self.source = source
        self.suspendedUntil = suspendedUntil
        self.contextConditions = contextConditions
    }

    /// Whether the state has an expiry that has been reached at the given time.
    public func hasExpired(at date: Date) -> Bool {
        guard let expires else { return false }
        // Negated, so that NaN counts as reached.
        return !(date < expires)
    }
}
