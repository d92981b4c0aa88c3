public import TelemetryModels

/// What a host allows viewers and rules to do. It does not limit the host's own calls. Turning a scenario off and resetting it
/// are always allowed.
public struct TelemetryPolicy: Sendable, Hashable {
    /// The limits of what a scenario may record in a period.
    public struct Budget: Sendable, Hashable {
        /// The maximum number of events in a period.
        public var events: Int
        /// The maximum size of the events in a period, in bytes; nil for no limit.
        public var bytes: Int?
        /// The length of a period.
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
    /// How much each scenario may record; nil for no limit. This version does not enforce it yet.
    public var budget: Budget?
    /// The scenarios whose events the flight recorder keeps while they are off. This version has no flight recorder yet.
    public var recordedScenarios: Set<String>

    /// Creates a policy; the parameters are the properties of the same names. By default everything is allowed.
    public init(
        remoteScenarios: Set<String>? = nil,
        maximumLevel: TelemetryLogLevel = .diagnostic,
        defaultLease: Duration? = nil,
        maximumLease: Duration? = nil,
        budget: Budget? = nil,
        recordedScenarios: Set<String> = []
    ) {
        self.remoteScenarios = remoteScenarios
        self.maximumLevel = maximumLevel
        self.defaultLease = defaultLease
        self.maximumLease = maximumLease
        self.budget = budget
        self.recordedScenarios = recordedScenarios
    }
}

extension TelemetryPolicy {
    /// Whether a viewer or a rule may turn the scenario on.
    func allowsRemotely(_ scenarioName: String) -> Bool { remoteScenarios?.contains(scenarioName) ?? true }
}
