public import TelemetryModels

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a host allows viewers and rules to do. Apart from the budget, it does not limit the host's own calls. Turning a scenario
/// off and resetting it are always allowed.
public struct TelemetryPolicy: Sendable, Hashable {
    /// The limits of what a scenario may record in a period.
    ///
    /// A period begins with the scenario's first event after the previous period. When a limit is reached, the scenario records
    /// nothing until the period ends; ``TelemetryLifecycleService/scenarios`` shows the date as `suspendedUntil`. Then one event
    /// `telemetry.budget` reports how many events were not recorded. Pausing and shutting down report it earlier. A process that
    /// is killed meanwhile loses the report.
    ///
    /// Turning the scenario off and on, or pausing and resuming, does not begin a period. Events outside all scenarios, and the
    /// library's own events, are not limited.
    public struct Budget: Sendable, Hashable {
        /// The maximum number of events in a period, including those that the logger's `process` refuses. With 0 or less nothing
        /// is recorded.
        public var events: Int
        /// The maximum size of the events in a period, in bytes as they are encoded for the logger's buffer; nil for no limit.
        /// The event that reaches the limit is recorded, and so are events that are being recorded on other threads meanwhile.
        /// With 0 or less nothing is recorded.
        public var bytes: Int?
        /// The length of a period; at most a hundred years. If it is not positive, the budget has no effect, which the service
        /// reports as a diagnostic.
        public var per: Duration

        /// Creates a budget; the parameters are the properties of the same names.
        public init(events: Int, bytes: Int? = nil, per: Duration) {
            self.events = events
            self.bytes = bytes
            self.per = per
        }
    }

    /// The scenarios that a viewer or a rule may turn on; nil for all.
    public var remoteScenarios: Set<String>?
    /// The most detailed level that a viewer or a rule may turn on. A more detailed level is reduced to it.
    public var maximumLevel: TelemetryLogLevel
    /// How long a scenario stays on if a viewer turns it on without a lease; nil until it is turned off.
    public var defaultLease: Duration?
    /// The maximum lease for which a viewer may turn a scenario on. A longer lease, or none, is reduced to it. Nil for no limit.
    public var maximumLease: Duration?
    /// How much each scenario may record, whoever turned it on; nil for no limit. Applies to a
    /// ``/TelemetryLogging/TelemetryLogger``; for another logger the service reports a diagnostic.
    public var budget: Budget?
    /// The scenarios whose events the flight recorder keeps on the device while they are off, up to the maximum level. A viewer
    /// can request the last ones of them. Events are kept only while telemetry is approved and not paused, and not of scenarios
    /// that the user forbids.
    public var recordedScenarios: Set<String>
    /// Whether the events that the flight recorder kept are sent after the process ended without a shutdown, without a viewer's command.
    public var capturesAfterCrash: Bool

    /// Creates a policy; the parameters are the properties of the same names. By default everything is allowed.
    public init(
        remoteScenarios: Set<String>? = nil,
        maximumLevel: TelemetryLogLevel = .diagnostic,
        defaultLease: Duration? = nil,
        maximumLease: Duration? = nil,
        budget: Budget? = nil,
        recordedScenarios: Set<String> = [],
        capturesAfterCrash: Bool = false
    ) {
        self.remoteScenarios = remoteScenarios
        self.maximumLevel = maximumLevel
        self.defaultLease = defaultLease
        self.maximumLease = maximumLease
        self.budget = budget
        self.recordedScenarios = recordedScenarios
        self.capturesAfterCrash = capturesAfterCrash
    }
}

extension TelemetryPolicy {
    /// Whether a viewer or a rule may turn the scenario on.
    func allowsRemotely(_ scenarioName: String) -> Bool { remoteScenarios?.contains(scenarioName) ?? true }

    /// Why a viewer cannot turn the scenario on; nil if it can.
    func enablingRejection(of scenarioName: String) -> String? {
        allowsRemotely(scenarioName) ? nil : "The app does not allow viewers to enable the scenario \"\(scenarioName)\"."
    }

    /// Why a viewer cannot capture the scenario's last events; nil if it can.
    func capturingRejection(of scenarioName: String) -> String? {
        recordedScenarios.contains(scenarioName)
            ? nil : "The app does not keep events of the scenario \"\(scenarioName)\" while it is off."
    }
}

extension TelemetryPolicy {
    /// Decides the states of scenarios without explicit decisions, as the service does at a change of the rules.
    /// - Parameters:
    ///   - scenarioNames: The scenarios.
    ///   - rules: All rules in the store.
    ///   - clientId: The client's identifier.
    ///   - attributes: The client's other attributes, by name.
    ///   - date: The time at which the rules are evaluated.
    @_spi(Tooling)
    public func states(
        of scenarioNames: [String], byRules rules: [TelemetryRuleRecord], clientId: String, attributes: [String: String],
        at date: Date
    ) -> [TelemetryScenarioState] {
        let context = ScenarioDecision.Context(
            clientId: clientId, attributes: attributes, policy: self, rules: ScenarioRules(rules))
        return scenarioNames.map { ScenarioDecision(on: $0, after: nil, in: context, at: date).state }
    }
}
