import TelemetryModels
import TelemetrySystem

/// Conditions of a query that can be decided without reading events. Nil conditions hold for every event.
struct EventBounds: Sendable {
    /// Whether events match.
    enum Decision: Equatable { case all, none, unknown }

    /// The name of the client's directory.
    let client: String?
    let session: String?
    let scenarios: Set<String>?
    let levels: Set<TelemetryLogLevel>?
    /// Nanoseconds since 1970, inclusive.
    let since: UInt64?
    /// Nanoseconds since 1970, exclusive.
    let until: UInt64?
    /// Whether events have to fulfil conditions that are not listed here.
    let hasOthers: Bool

    /// The conditions of a filter that can be decided without reading events.
    /// - Parameter client: The name of the directory of the filter's client.
    init(_ filter: TelemetryEventFilter, client: String?) {
        self.client = client
        session = filter.sessionId
        scenarios = filter.scenarios
        levels = filter.levels
        since = filter.since.map(EventTime.limit)
        until = filter.until.map(EventTime.limit)
        hasOthers = filter.names != nil || filter.query != nil
    }

    /// Whether any of the conditions can be decided with a summary.
    var isSelective: Bool {
        client != nil || session != nil || scenarios != nil || levels != nil || since != nil || until != nil
    }

    /// Whether the times of events in a range fulfil the conditions.
    func decision(first: UInt64, last: UInt64) -> Decision {
        let precision = EventTime.precision
        var isCertain = true
        if let since {
            if last.addingClamped(precision) < since { return .none }
            if first < since.addingClamped(precision) { isCertain = false }
        }
        if let until {
            if first > until.addingClamped(precision) { return .none }
            if last.addingClamped(precision) >= until { isCertain = false }
        }
        return isCertain ? .all : .unknown
    }

    /// Whether the events of a cell match.
    func decision(_ cell: BatchSummary.Cell) -> Decision {
        if let levels, !levels.contains(cell.level) { return .none }
        if let scenarios, !(cell.scenario.map(scenarios.contains) ?? false) { return .none }
        let decision = decision(first: cell.first, last: cell.last)
        return decision == .all && hasOthers ? .unknown : decision
    }

    /// Whether no event of the batch matches.
    func excludes(_ summary: BatchSummary) -> Bool {
        if let session, session != summary.session { return true }
        if decision(first: summary.first, last: summary.last) == .none { return true }
        return summary.cells?.allSatisfy { decision($0) == .none } ?? false
    }
}
