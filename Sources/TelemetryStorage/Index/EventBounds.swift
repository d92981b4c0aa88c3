package import TelemetryModels

/// Conditions of a query that can be decided without reading events. Nil conditions hold for every event.
package struct EventBounds: Sendable {
    /// Whether events match.
    package enum Decision: Equatable { case all, none, unknown }

    /// The name of the client's directory.
    package var client: String?
    package var session: String?
    package var scenarios: Set<String>?
    package var levels: Set<TelemetryLogLevel>?
    /// Nanoseconds since 1970, inclusive.
    package var since: UInt64?
    /// Nanoseconds since 1970, exclusive.
    package var until: UInt64?
    /// Whether events have to fulfil conditions that are not listed here.
    package var hasOthers: Bool

    package init(
        client: String? = nil, session: String? = nil, scenarios: Set<String>? = nil, levels: Set<TelemetryLogLevel>? = nil,
        since: UInt64? = nil, until: UInt64? = nil, hasOthers: Bool = false
    ) {
        self.client = client
        self.session = session
        self.scenarios = scenarios
        self.levels = levels
        self.since = since
        self.until = until
        self.hasOthers = hasOthers
    }

    /// Whether any of the conditions can be decided with a summary.
    package var isSelective: Bool {
        client != nil || session != nil || scenarios != nil || levels != nil || since != nil || until != nil
    }

    /// Whether the times of events in a range fulfil the conditions.
    package func decision(first: UInt64, last: UInt64) -> Decision {
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
    package func decision(_ cell: BatchSummary.Cell) -> Decision {
        if let levels, !levels.contains(cell.level) { return .none }
        if let scenarios, !(cell.scenario.map(scenarios.contains) ?? false) { return .none }
        let decision = decision(first: cell.first, last: cell.last)
        return decision == .all && hasOthers ? .unknown : decision
    }

    /// Whether no event of the batch matches.
    package func excludes(_ summary: BatchSummary) -> Bool {
        if let session, session != summary.session { return true }
        if decision(first: summary.first, last: summary.last) == .none { return true }
        return summary.cells?.allSatisfy { decision($0) == .none } ?? false
    }
}
