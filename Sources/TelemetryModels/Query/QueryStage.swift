/// What a stage passes on.
enum QueryRow<Event: QuerySubject> {
    case event(Event)
    case values([TelemetryValue?])
}

/// One step of an evaluation: leading limits, and the pipe after them.
struct QueryStage<Event: QuerySubject> {
    typealias Row = QueryRow<Event>

    private enum Step {
        case collect([Row])
        case select([QueryName], [QueryField], [Row])
        case sort(QuerySorting<Row>)
        case group(QueryGrouping)
    }

    /// How many rows are still admitted.
    private var remaining = Int.max
    private var step: Step
    /// The pipes after this stage.
    private let next: ArraySlice<QueryPipe>

    /// - Parameters:
    ///   - pipes: Without `top`.
    ///   - hasEvents: Whether the rows are events, not those of a table.
    init(_ pipes: ArraySlice<QueryPipe>, hasEvents: Bool) {
        var pipes = pipes
        Self.removeLimits(&pipes, into: &remaining)
        switch pipes.popFirst() {
        case .stats(let statistics, let groups):
            step = .group(QueryGrouping(statistics, by: groups, hasEvents: hasEvents))
        case .fields(let names):
            step = .select(names, names.map { $0.field(ofEvents: hasEvents) }, [])
            Self.removeLimits(&pipes, into: &remaining)
        case .sort(let keys):
            let limit: Int? = if case .limit(let limit)? = pipes.first { limit } else { nil }
            step = .sort(QuerySorting<Row>(by: keys, limit: limit, hasEvents: hasEvents))
        case nil, .top, .limit: step = .collect([])
        }
        next = pipes
    }

    /// Whether the rows after this stage depend on the order of those that are added.
    var needsOrder: Bool {
        if case .group = step { remaining < .max } else { true }
    }

    private static func removeLimits(_ pipes: inout ArraySlice<QueryPipe>, into remaining: inout Int) {
        while case .limit(let limit)? = pipes.first {
            remaining = min(remaining, limit)
            pipes.removeFirst()
        }
    }

    mutating func add(_ subject: some QuerySubject, row: () -> Row) throws {
        guard remaining > 0 else { return }
        remaining -= 1
        switch step {
        case .collect(var rows):
            step = .collect([])
            rows.append(row())
            step = .collect(rows)
        case .select(let names, let fields, var rows):
            step = .collect([])
            rows.append(.values(fields.map { subject.value(of: $0) }))
            step = .select(names, fields, rows)
        case .sort(var sorting):
            step = .collect([])
            try sorting.add(subject, row: row)
            step = .sort(sorting)
        case .group(var grouping):
            step = .collect([])
            try grouping.add(subject)
            step = .group(grouping)
        }
    }

    /// The rows after this stage and all later ones.
    /// - Parameter columns: The columns of the rows that were added, which become those of the rows that are returned; none for events.
    consuming func finished(columns: inout [String]) throws -> [Row] {
        let rows: [Row]
        switch step {
        case .collect(let collected): rows = collected
        case .select(let names, _, let selected):
            columns = names.map(\.text)
            rows = selected
        case .sort(let sorting): rows = sorting.rows
        case .group(let grouping):
            columns = grouping.columns
            rows = grouping.rows.map(Row.values)
        }
        if next.isEmpty { return rows }
        var stage = QueryStage<Event>(next, hasEvents: columns.isEmpty)
        let places = QueryTableRow.places(of: columns)
        for row in rows {
            switch row {
            case .event(let event): try stage.add(event) { row }
            case .values(let values): try stage.add(QueryTableRow(values: values, places: places)) { row }
            }
        }
        return try stage.finished(columns: &columns)
    }
}

/// A row of a table. Each column is the attribute with its name.
private struct QueryTableRow: QuerySubject {
    let values: [TelemetryValue?]
    let places: [QueryField: Int]

    static func places(of columns: [String]) -> [QueryField: Int] {
        var places: [QueryField: Int] = [:]
        for (place, column) in columns.enumerated() { places[.attribute(column)] = place }
        // The beginning of a span of time is a time.
        let time = places[.attribute("time")] ?? columns.firstIndex { $0.hasPrefix("time:") }
        places[.time] = time
        places[.attribute("time")] = time
        return places
    }

    func value(of field: QueryField) -> TelemetryValue? { places[field].flatMap { values[$0] } }

    func hasText(where isMatch: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool { false }
}
