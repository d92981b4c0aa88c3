public import TelemetryModels

/// What a host allows viewers and rules to do. It does not bind the host's own calls; turning a scenario off and resetting it are
/// always allowed.
public struct TelemetryPolicy: Sendable, Hashable {
    /// How much a scenario may record in a window of time.
    public struct Budget: Sendable, Hashable {
        /// The most events in a window.
        public var events: Int
        /// The most bytes of events in a window; nil for any number.
        public var bytes: Int?
        /// How long a window is.
        public var per: Duration

        /// Creates a budget; the parameters are the properties of the same names.
        public init(events: Int, bytes: Int? = nil, per: Duration) {
            self.events = events
            self.bytes = bytes
            self.per = per
        }
    }

    /// The scenarios that a viewer or a rule may turn on; nil for any.
    public var remoteScenarios: Set<String>?
    /// The most detailed level that a viewer or a rule may turn on; more is cut to it.
    public var maximumLevel: TelemetryLogLevel
    /// How long a scenario stays on that a viewer turns on without naming a time; nil for as long as nobody turns it off.
    public var defaultLease: Duration?
    /// The longest time for which a viewer may turn a scenario on; longer ones, and none, are cut to it. Nil for any.
    public var maximumLease: Duration?
    /// How much each scenario may record; nil for any amount. This version does not enforce it yet.
    public var budget: Budget?
    /// The scenarios whose events the flight recorder keeps while they are off. This version has no flight recorder yet.
    public var recordedScenarios: Set<String>

    /// Creates a policy; the parameters are the properties of the same names. Without any, everything is allowed.
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
