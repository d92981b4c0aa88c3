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

    /// One of these is there. They are changed in place, which a payload of an enumeration is not.
    private var rows: QueryRows<Row>?
    private var grouping: QueryGrouping?
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
            grouping = QueryGrouping(statistics, by: groups, hasEvents: hasEvents)
            selection = nil
        case .fields(let names):
            pipes.removeFirst()
            selection = (names.map(\.text), names.map { $0.field(ofEvents: hasEvents) })
            rows = QueryRows(limit: Self.removeLimits(&pipes))
        case .sort(let keys):
            pipes.removeFirst()
            selection = nil
            rows = QueryRows(by: keys, limit: Self.removeLimits(&pipes), hasEvents: hasEvents)
        case nil, .top, .limit:
            selection = nil
            rows = QueryRows(limit: Self.removeLimits(&pipes))
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
    var byteCount: Int { rows?.byteCount ?? grouping?.byteCount ?? 0 }

    /// Whether events were left out.
    var isCut: Bool { rows?.isCut ?? false }

    /// Leaves out the last events that were added, and all events after them, if the rows are the first events and nothing else.
    /// - Parameter byteLimit: The size of the events that stay, of which there is one at least.
    /// - Returns: Whether the rows are that.
    mutating func cut(to byteLimit: Int) -> Bool {
        guard selection == nil, next.isEmpty, rows?.isSorted == false else { return false }
        rows?.cut(to: byteLimit)
        return true
    }

    /// Adds a row.
    /// - Parameter position: Its place among the rows, which are added in any order.
    mutating func add(_ subject: some QuerySubject, at position: Int64, row: () -> Row) throws {
        try grouping?.add(subject)
        // In generic code, a key path would be made anew for each row.
        let size = { (row: Row) in row.byteCount }
        if let fields = selection?.fields {
            try rows?.add(subject, at: position, size: size) { .values(fields.map { subject.value(of: $0) }) }
        } else {
            try rows?.add(subject, at: position, size: size, row)
        }
    }

    /// Whether the rows that are added are only counted.
    var isCount: Bool { grouping?.isCount ?? false }

    /// Counts the events of a cell. Returns false if they have to be added one by one.
    mutating func add(_ cell: QueryCell) throws -> Bool {
        try grouping?.add(cell) ?? false
    }

    /// Adds the rows that were added to another stage with the same pipes.
    mutating func merge(_ other: consuming Self) throws {
        if let others = other.rows { try rows?.merge(others) }
        if let others = other.grouping { try grouping?.merge(others) }
    }

    /// The rows after this stage and all later ones.
    /// - Parameter columns: The columns of the rows that were added, which become those of the rows that are returned; none for events.
    consuming func finished(columns: inout [String]) throws -> [Row] {
        if let columnsOfStage = grouping?.columns ?? selection?.columns { columns = columnsOfStage }
        let rows = rows?.rows ?? grouping?.rows.map(Row.values) ?? []
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
