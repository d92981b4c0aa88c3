#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Whether a scenario is recorded, in how much detail, until when, and who decided it.
public struct TelemetryScenarioState: Sendable, Hashable {
    /// Who decided the state of a scenario.
    public enum Source: Sendable, Hashable {
        /// Nobody yet: the host registered the scenario.
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
    /// When the client turns the scenario off by itself; nil where it stays on until it is turned off.
    public var expires: Date?
    /// Who decided.
    public var source: Source
    /// When recording resumes, where the scenario's budget is used up; otherwise nil.
    public var suspendedUntil: Date?

    /// Creates a state; the parameters are the properties of the same names.
    public init(
        isEnabled: Bool = false, level: TelemetryLogLevel = .diagnostic, expires: Date? = nil, source: Source = .registration,
        suspendedUntil: Date? = nil
    ) {
        self.isEnabled = isEnabled
        self.level = level
        self.expires = expires
        self.source = source
        self.suspendedUntil = suspendedUntil
    }

    /// Whether the state has ended at the given time: it has an end, and the end has been reached.
    public func hasExpired(at date: Date) -> Bool {
        guard let expires else { return false }
        // Negated, so that a date that is not a number counts as reached.
        return !(date < expires)
    }
}
