@_spi(Tooling) public import TelemetryModels

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Selects events. An event matches if it fulfils every condition that is not nil.
public struct TelemetryEventFilter: Sendable, Hashable {
    /// Only this client's events; nil: any client's.
    public var clientId: String?
    /// Only this session's events; nil: any session's.
    public var sessionId: String?
    /// The event's scenario is one of these. An empty set matches nothing, and an event without a scenario matches no set.
    public var scenarios: Set<String>?
    /// The event's level is one of these. An empty set matches nothing.
    public var levels: Set<TelemetryLogLevel>?
    /// The event's name is one of these. An empty set matches nothing.
    public var names: Set<String>?
    /// The event's time is this or later.
    public var since: Date?
    /// The event's time is earlier than this.
    public var until: Date?
    /// The event fulfils the query's filter, for which the time of the evaluation is now. It must not have
    /// pipes: the project's transports throw `.invalidArgument`.
    public var query: TelemetryQuery?

    /// Creates a filter; the parameters are the properties of the same names.
    public init(
        clientId: String? = nil, sessionId: String? = nil, scenarios: Set<String>? = nil,
        levels: Set<TelemetryLogLevel>? = nil, names: Set<String>? = nil, since: Date? = nil, until: Date? = nil,
        query: TelemetryQuery? = nil
    ) {
        self.clientId = clientId
        self.sessionId = sessionId
        self.scenarios = scenarios
        self.levels = levels
        self.names = names
        self.since = since
        self.until = until
        self.query = query
    }

    /// Every event.
    public static let all = TelemetryEventFilter()

    /// - Throws: `.invalidArgument` for a query with pipes.
    package func validate() throws(TelemetryTransportError) {
        guard let query, query.hasPipes else { return }
        throw .invalidArgument("A filter's query must not have pipes; this one is \"\(query)\".")
    }

    /// Whether every event of a client matches if one does, including those that cannot be read.
    var selectsWholeClients: Bool { self == TelemetryEventFilter(clientId: clientId) }

    /// With what can be said of a query's matches without reading them. Excludes none of them.
    /// - Parameter query: By default, the filter's.
    func narrowed(to query: TelemetryQuery? = nil, now: Date = .now) -> Self {
        guard let bounds = (query ?? self.query)?.bounds(now: now) else { return self }
        var filter = self
        if let only = bounds.texts(of: .client), only.count == 1 { filter.clientId = clientId ?? only.first }
        if let only = bounds.texts(of: .session), only.count == 1 { filter.sessionId = sessionId ?? only.first }
        if let only = bounds.texts(of: .scenario) { filter.scenarios = scenarios?.intersection(only) ?? only }
        if let only = bounds.texts(of: .level).map({ Set($0.compactMap(TelemetryLogLevel.init)) }) {
            filter.levels = levels?.intersection(only) ?? only
        }
        filter.since = [since, bounds.since].compactMap(\.self).max()
        filter.until = [until, bounds.until].compactMap(\.self).min()
        return filter
    }

    /// Whether the event fulfils every condition.
    public func matches(_ event: TelemetryEvent) -> Bool {
        if let clientId, event.clientId != clientId { return false }
        if let sessionId, event.sessionId != sessionId { return false }
        if let scenarios, !(event.scenario.map(scenarios.contains) ?? false) { return false }
        if let levels, !levels.contains(event.level) { return false }
        if let names, !names.contains(event.name) { return false }
        if let since, event.timestamp < since { return false }
        if let until, event.timestamp >= until { return false }
        if let query, !query.matches(event) { return false }
        return true
    }

    /// The same for an event that need not be decoded.
    func matches(_ event: StoredEvent, now: Date = .now) -> Bool {
        func text(_ field: QueryField) -> String? { event.value(of: field)?.stringValue }
        if let clientId, text(.client) != clientId { return false }
        if let sessionId, text(.session) != sessionId { return false }
        if let scenarios, !(text(.scenario).map(scenarios.contains) ?? false) { return false }
        if let levels, !(text(.level).flatMap(TelemetryLogLevel.init).map(levels.contains) ?? false) { return false }
        if let names, !(text(.name).map(names.contains) ?? false) { return false }
        if since != nil || until != nil {
            guard let time = event.value(of: .time)?.dateValue else { return false }
            if let since, time < since { return false }
            if let until, time >= until { return false }
        }
        return query?.matches(event, in: QueryContext(now: now)) ?? true
    }
}

/// The stored form: an object with the conditions that are set, dates as ISO 8601 in UTC, sets as sorted lists, the query as
/// its text.
extension TelemetryEventFilter: Codable {
    private enum CodingKeys: String, CodingKey { case clientId, sessionId, scenarios, levels, names, since, until, query }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            clientId: try container.decodeIfPresent(String.self, forKey: .clientId),
            sessionId: try container.decodeIfPresent(String.self, forKey: .sessionId),
            scenarios: try container.decodeIfPresent([String].self, forKey: .scenarios).map(Set.init),
            levels: try container.decodeIfPresent([TelemetryLogLevel].self, forKey: .levels).map(Set.init),
            names: try container.decodeIfPresent([String].self, forKey: .names).map(Set.init),
            since: try container.decodeTimestampIfPresent(forKey: .since),
            until: try container.decodeTimestampIfPresent(forKey: .until),
            query: try container.decodeIfPresent(TelemetryQuery.self, forKey: .query))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(clientId, forKey: .clientId)
        try container.encodeIfPresent(sessionId, forKey: .sessionId)
        try container.encodeIfPresent(scenarios?.sorted(), forKey: .scenarios)
        try container.encodeIfPresent(levels?.sorted(), forKey: .levels)
        try container.encodeIfPresent(names?.sorted(), forKey: .names)
        try container.encodeTimestampIfPresent(since, forKey: .since)
        try container.encodeTimestampIfPresent(until, forKey: .until)
        try container.encodeIfPresent(query, forKey: .query)
    }
}
