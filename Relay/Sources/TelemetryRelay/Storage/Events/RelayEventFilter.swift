import Foundation
@_spi(Tooling) public import TelemetryModels

/// A filter for events. An event must meet every condition that is not nil; an empty set matches nothing.
///
/// The transport's `TelemetryEventFilter` cannot replace it: it has a single client, where a host has up to eight, and times as
/// `Date`, which has no nanosecond precision.
public struct RelayEventFilter: Sendable, Equatable {
    /// Matches events of these clients. An event without a client does not match any set.
    public var clients: Set<String>?
    public var sessionId: String?
    /// Matches events of these scenarios. An event without a scenario does not match any set.
    public var scenarios: Set<String>?
    public var levels: Set<TelemetryLogLevel>?
    public var names: Set<String>?
    /// If there are any, an event must match one of them by its client.
    public var clientPatterns: [NamePattern] = []
    /// If there are any, an event must match one of them by its scenario.
    public var scenarioPatterns: [NamePattern] = []
    /// Included.
    public var since: RelayTime?
    /// Excluded.
    public var until: RelayTime?
    /// A query without pipes.
    public var query: TelemetryQuery?

    public init(
        clients: Set<String>? = nil, sessionId: String? = nil, scenarios: Set<String>? = nil,
        levels: Set<TelemetryLogLevel>? = nil, names: Set<String>? = nil, since: RelayTime? = nil, until: RelayTime? = nil,
        query: TelemetryQuery? = nil
    ) {
        self.clients = clients
        self.sessionId = sessionId
        self.scenarios = scenarios
        self.levels = levels
        self.names = names
        self.since = since
        self.until = until
        self.query = query
    }

    /// With what can be said of a query's matches without reading them. Excludes none of them.
    func narrowed(to query: TelemetryQuery, now: Date) -> Self {
        let bounds = query.bounds(now: now)
        var filter = self
        if let only = bounds.texts(of: .client) { filter.clients = clients?.intersection(only) ?? only }
        if let only = bounds.texts(of: .session), only.count == 1 { filter.sessionId = sessionId ?? only.first }
        if let only = bounds.texts(of: .scenario) { filter.scenarios = scenarios?.intersection(only) ?? only }
        if let only = bounds.texts(of: .name) { filter.names = names?.intersection(only) ?? only }
        if let only = bounds.texts(of: .level).map({ Set($0.compactMap(TelemetryLogLevel.init)) }) {
            filter.levels = levels?.intersection(only) ?? only
        }
        // A time and its nearest date may be in neighbouring seconds.
        if let time = bounds.since.flatMap({ RelayTime(second: $0, plus: -1) }) { filter.since = max(since ?? time, time) }
        if let time = bounds.until.flatMap({ RelayTime(second: $0, plus: 2) }) { filter.until = min(until ?? time, time) }
        return filter
    }

    /// Matches every event.
    public static let all = RelayEventFilter()
}
