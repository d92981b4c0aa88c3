#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The evaluation of a query on events that are added one after the other, in their order of arrival. For the project's packages; not
/// part of the interface.
@_spi(Tooling)
public struct QueryEvaluation<Event: QuerySubject> {
    /// What a query found: rows of a table, or events if there are no columns.
    public struct Result {
        public var columns: [String] = []
        public var rows: [[TelemetryQueryResult.Value]] = []
        public var events: [Event] = []
        /// How many events the query's filter matched.
        public var matched = 0
    }

    private let filter: QueryFilter
    private let now: Date
    private var stage: QueryStage<Event>
    private var matched = 0

    /// - Parameter limit: The maximum number of rows or events of the result.
    public init(_ query: TelemetryQuery, now: Date, limit: Int? = nil) {
        filter = query.filter
        self.now = now
        stage = QueryStage((query.pipes.flatMap(\.expanded) + (limit.map { [.limit($0)] } ?? []))[...], hasEvents: true)
    }

    /// Whether the result depends on the order in which the events are added.
    public var needsOrder: Bool { stage.needsOrder }

    /// Whether the query's filter matches the event.
    public func matches(_ subject: some QuerySubject) -> Bool { filter.matches(subject, now: now) }

    /// Adds the next event, if it matches.
    /// - Throws: ``TelemetryQueryError`` if the query exceeds a limit.
    public mutating func add(_ event: Event) throws {
        if matches(event) { try add(matching: event) { event } }
    }

    /// Adds the next event, which matches.
    /// - Parameter event: The event of the subject, if it may be part of the result.
    /// - Throws: ``TelemetryQueryError`` if the query exceeds a limit.
    public mutating func add(matching subject: some QuerySubject, event: () -> Event) throws {
        matched += 1
        try stage.add(subject) { .event(event()) }
    }

    /// The result over all events that were added.
    /// - Throws: ``TelemetryQueryError`` if the query exceeds a limit.
    public consuming func result() throws -> Result {
        var result = Result(matched: matched)
        let rows = try stage.finished(columns: &result.columns)
        for row in rows {
            switch row {
            case .event(let event): result.events.append(event)
            case .values(let values): result.rows.append(values.map(TelemetryQueryResult.Value.init))
            }
        }
        return result
    }
}
