/// The evaluation of a query on events, which are added in any order: their positions decide. Evaluations of the same query on different
/// events can be merged. For the project's packages; not part of the interface.
@_spi(Tooling)
public struct QueryEvaluation<Event: QuerySubject> {
    /// What a query found: rows of a table, or events if there are no columns.
    public struct Result {
        public var columns: [String] = []
        public var rows: [[TelemetryQueryResult.Value]] = []
        public var events: [Event] = []
        /// Whether there are more events, which are left out because all together are too large.
        public var isCut = false
        /// How many events the query's filter matched.
        public var matched = 0
    }

    private let filter: QueryFilter
    private let context: QueryContext
    private let byteLimit: Int
    private var stage: QueryStage<Event>
    private var matched = 0

    /// - Parameters:
    ///   - limit: The maximum number of rows or events of the result.
    ///   - byteLimit: The maximum size of what is kept for the result, in bytes, approximately. Events of a query without pipes are left
    ///     out beyond it; any other query fails.
    public init(_ query: TelemetryQuery, in context: QueryContext, limit: Int? = nil, byteLimit: Int = .max) {
        filter = query.filter
        self.context = context
        self.byteLimit = byteLimit
        stage = QueryStage((query.pipes.flatMap(\.expanded) + (limit.map { [.limit($0)] } ?? []))[...], hasEvents: true)
    }

    /// Whether the query's filter matches the event.
    public func matches(_ subject: some QuerySubject) -> Bool { filter.matches(subject, in: context) }

    /// Whether the result needs no more of the events than how many there are of each kind.
    public var isCount: Bool { stage.isCount }

    /// Adds the events of a cell that match. Unlike other events they have no position: they are only counted.
    /// - Returns: Whether they were added or none of them matches; otherwise they have to be added one by one.
    /// - Throws: ``TelemetryQueryError`` if the query exceeds a limit.
    public mutating func add(_ cell: QueryCell) throws -> Bool {
        guard let matches = filter.matches(cell, in: context) else { return false }
        guard matches else { return true }
        guard try stage.add(cell) else { return false }
        matched = matched.addingOrMaximum(cell.count)
        try checkSize()
        return true
    }

    /// Adds an event after those that were added, if it matches.
    /// - Throws: ``TelemetryQueryError`` if the query exceeds a limit.
    public mutating func add(_ event: Event) throws {
        if matches(event) { try add(matching: event, at: Int64(matched)) { event } }
    }

    /// Adds an event that matches.
    /// - Parameters:
    ///   - position: The event's place in the order of arrival; no other event has the same.
    ///   - event: The event of the subject, if it may be part of the result.
    /// - Throws: ``TelemetryQueryError`` if the query exceeds a limit.
    public mutating func add(matching subject: some QuerySubject, at position: Int64, event: () -> Event) throws {
        matched = matched.addingOrMaximum(1)
        try stage.add(subject, at: position) { .event(event()) }
        try checkSize()
    }

    /// Adds the events that were added to another evaluation of the same query.
    /// - Throws: ``TelemetryQueryError`` if the query exceeds a limit.
    public mutating func merge(_ other: consuming Self) throws {
        matched = matched.addingOrMaximum(other.matched)
        try stage.merge(other.stage)
        try checkSize()
    }

    private mutating func checkSize() throws {
        guard stage.byteCount > byteLimit, !stage.cut(to: byteLimit / 2) else { return }
        throw TelemetryQueryError(
            message: "The query keeps more than \(byteLimit) bytes: match fewer events, group by less, or use a smaller limit.",
            offset: 0)
    }

    /// The result over all events that were added.
    /// - Throws: ``TelemetryQueryError`` if the query exceeds a limit.
    public consuming func result() throws -> Result {
        var result = Result(isCut: stage.isCut, matched: matched)
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

extension QueryEvaluation: Sendable where Event: Sendable {}
extension QueryEvaluation.Result: Sendable where Event: Sendable {}
