/// What a stage passes on.
enum QueryRow<Event: QuerySubject> {
    case event(Event)
    case values([TelemetryValue?])

    /// The approximate size, in bytes.
    var byteCount: Int {
        switch self {
        case .event(let event): event.byteCount
        case .values(let values): values.reduce(0) { $0 + ($1?.byteCount ?? 0) }
        }
    }
}

extension QueryRow: Sendable where Event: Sendable {}

/// One step of an evaluation: a pipe, and the limit after it.
struct QueryStage<Event: QuerySubject> {
    typealias Row = QueryRow<Event>

    fileprivate enum Step {
        case rows(QueryRows<Row>)
        case group(QueryGrouping)
    }

    private var step: Step
    /// The columns of `fields`, and what they select.
    private let selection: (columns: [String], fields: [QueryField])?
    /// The pipes after this stage.
    private let next: ArraySlice<QueryPipe>

    /// - Parameters:
    ///   - pipes: Without `top`.
    ///   - hasEvents: Whether the rows are events, not those of a table.
    init(_ pipes: ArraySlice<QueryPipe>, hasEvents: Bool) {
        var pipes = pipes
        switch pipes.first {
        case .stats(let statistics, let groups):
            pipes.removeFirst()
            step = .group(QueryGrouping(statistics, by: groups, hasEvents: hasEvents))
            selection = nil
        case .fields(let names):
            pipes.removeFirst()
            selection = (names.map(\.text), names.map { $0.field(ofEvents: hasEvents) })
            step = .rows(QueryRows(limit: Self.removeLimits(&pipes)))
        case .sort(let keys):
            pipes.removeFirst()
            selection = nil
            step = .rows(QueryRows(by: keys, limit: Self.removeLimits(&pipes), hasEvents: hasEvents))
        case nil, .top, .limit:
            selection = nil
            step = .rows(QueryRows(limit: Self.removeLimits(&pipes)))
        }
        next = pipes
    }

    private static func removeLimits(_ pipes: inout ArraySlice<QueryPipe>) -> Int {
        var result = Int.max
        while case .limit(let limit)? = pipes.first {
            result = min(result, limit)
            pipes.removeFirst()
        }
        return result
    }

    /// The approximate size of what is kept, in bytes.
    var byteCount: Int {
        switch step {
        case .rows(let rows): rows.byteCount
        case .group(let grouping): grouping.byteCount
        }
    }

    /// Whether events were left out.
    var isCut: Bool { if case .rows(let rows) = step { rows.isCut } else { false } }

    /// Leaves out the last events that were added, and all events after them, if the rows are the first events and nothing else.
    /// - Parameter byteLimit: The size of the events that stay, of which there is one at least.
    /// - Returns: Whether the rows are that.
    mutating func cut(to byteLimit: Int) -> Bool {
        guard case .rows(var rows) = step, selection == nil, next.isEmpty, !rows.isSorted else { return false }
        step = .rows(QueryRows(limit: 0))
        rows.cut(to: byteLimit)
        step = .rows(rows)
        return true
    }

    /// Adds a row.
    /// - Parameter position: Its place among the rows, which are added in any order.
    mutating func add(_ subject: some QuerySubject, at position: Int64, row: () -> Row) throws {
        switch step {
        case .rows(var rows):
            step = .rows(QueryRows(limit: 0))
            defer { step = .rows(rows) }
            let size: (Row) -> Int = \.byteCount
            if let fields = selection?.fields {
                try rows.add(subject, at: position, size: size) { .values(fields.map { subject.value(of: $0) }) }
            } else {
                try rows.add(subject, at: position, size: size, row)
            }
        case .group(var grouping):
            step = .rows(QueryRows(limit: 0))
            defer { step = .group(grouping) }
            try grouping.add(subject)
        }
    }

    /// Whether the rows that are added are only counted.
    var isCount: Bool { if case .group(let grouping) = step { grouping.isCount } else { false } }

    /// Counts the events of a cell. Returns false if they have to be added one by one.
    mutating func add(_ cell: QueryCell) throws -> Bool {
        guard case .group(var grouping) = step else { return false }
        step = .rows(QueryRows(limit: 0))
        defer { step = .group(grouping) }
        return try grouping.add(cell)
    }

    /// Adds the rows that were added to another stage with the same pipes.
    mutating func merge(_ other: consuming Self) throws {
        switch (step, other.step) {
        case (.rows(var rows), .rows(let others)):
            step = .rows(QueryRows(limit: 0))
            defer { step = .rows(rows) }
            try rows.merge(others)
        case (.group(var grouping), .group(let others)):
            step = .rows(QueryRows(limit: 0))
            defer { step = .group(grouping) }
            try grouping.merge(others)
        case (.rows, .group), (.group, .rows): break
        }
    }

    /// The rows after this stage and all later ones.
    /// - Parameter columns: The columns of the rows that were added, which become those of the rows that are returned; none for events.
    consuming func finished(columns: inout [String]) throws -> [Row] {
        let rows: [Row]
        switch step {
        case .rows(let collected):
            if let selection { columns = selection.columns }
            rows = collected.rows
        case .group(let grouping):
            columns = grouping.columns
            rows = grouping.rows.map(Row.values)
        }
        if next.isEmpty { return rows }
        var stage = QueryStage<Event>(next, hasEvents: columns.isEmpty)
        let places = QueryTableRow.places(of: columns)
        for (position, row) in rows.enumerated() {
            switch row {
            case .event(let event): try stage.add(event, at: Int64(position)) { row }
            case .values(let values): try stage.add(QueryTableRow(values: values, places: places), at: Int64(position)) { row }
            }
        }
        return try stage.finished(columns: &columns)
    }
}

extension QueryStage: Sendable where Event: Sendable {}
extension QueryStage.Step: Sendable where Event: Sendable {}

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

    var byteCount: Int { values.reduce(0) { $0 + ($1?.byteCount ?? 0) } }
}
