public import TelemetryModels

/// An event as it is stored: what filters look at, and its whole text.
public struct RelayEvent: Sendable, Equatable {
    /// Whose event it is; nil where the event names no client.
    public var clientId: String?
    public var sessionId: String
    /// Unique for its client.
    public var eventId: String
    public var name: String
    public var time: RelayTime
    public var scenario: String?
    public var level: TelemetryLogLevel
    /// The whole event as a JSON object on one line, as it is given back.
    public var json: String

    public init(
        clientId: String?, sessionId: String, eventId: String, name: String, time: RelayTime, scenario: String? = nil,
        level: TelemetryLogLevel = .info, json: String
    ) {
        self.clientId = clientId
        self.sessionId = sessionId
        self.eventId = eventId
        self.name = name
        self.time = time
        self.scenario = scenario
        self.level = level
        self.json = json
    }
}

/// Which events are meant. Every condition that is not nil must hold; an empty set matches nothing.
///
/// The transport's `TelemetryEventFilter` has one client, and times as dates: it can name neither the up to eight clients of a host
/// nor a time to the nanosecond.
public struct RelayEventFilter: Sendable, Equatable {
    /// The clients whose events are permitted and asked for. An event without a client is in no set.
    public var clients: Set<String>?
    public var sessionId: String?
    /// An event without a scenario is in no set.
    public var scenarios: Set<String>?
    public var levels: Set<TelemetryLogLevel>?
    public var names: Set<String>?
    /// Included.
    public var since: RelayTime?
    /// Excluded.
    public var until: RelayTime?

    public init(
        clients: Set<String>? = nil, sessionId: String? = nil, scenarios: Set<String>? = nil,
        levels: Set<TelemetryLogLevel>? = nil, names: Set<String>? = nil, since: RelayTime? = nil, until: RelayTime? = nil
    ) {
        self.clients = clients
        self.sessionId = sessionId
        self.scenarios = scenarios
        self.levels = levels
        self.names = names
        self.since = since
        self.until = until
    }

    /// Every event.
    public static let all = RelayEventFilter()
}
