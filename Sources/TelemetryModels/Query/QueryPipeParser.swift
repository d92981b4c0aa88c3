/// Parses the pipes of a query.
struct QueryPipeParser {
    static let pipeLimit = 8

    private var scanner: QueryScanner
    private var pipes: [QueryPipe] = []
    /// Whether the rows are events, not those of a table.
    private var hasEvents = true
    private var needsLimit = false
    /// The columns of the pipe that is parsed.
    private var columns: Set<ExactString> = []

    /// - Parameter scanner: After the filter.
    init(_ scanner: QueryScanner) { self.scanner = scanner }

    /// Parses up to the end.
    mutating func all() throws(TelemetryQueryError) -> [QueryPipe] {
        while scanner.nextPart() != nil {
            let start = scanner.position
            guard scanner.consume("|") else { throw scanner.unexpected(pipes.isEmpty ? "a term or a pipe" : "a pipe") }
            guard pipes.count < Self.pipeLimit else {
                throw TelemetryQueryError(message: "A query has at most \(Self.pipeLimit) pipes.", offset: start)
            }
            pipes.append(try pipe())
        }
        if needsLimit { throw scanner.unexpected("limit: sorted events need one") }
        return pipes
    }

    private mutating func pipe() throws(TelemetryQueryError) -> QueryPipe {
        _ = scanner.nextPart()
        let start = scanner.position
        let name = scanner.run(.word)
        if needsLimit, !name.isEmpty, name != "limit" {
            throw TelemetryQueryError(message: "Expected limit: sorted events need one.", offset: start)
        }
        needsLimit = name == "sort" && hasEvents
        hasEvents = hasEvents && name == "sort" || hasEvents && name == "limit"
        columns = []
        switch name {
        case "": throw scanner.unexpected("stats, top, sort, limit or fields")
        case "stats": return try statistics()
        case "top": return try top()
        case "sort": return try sort()
        case "limit": return .limit(try count())
        case "fields": return try fields()
        default: throw TelemetryQueryError(message: "Expected stats, top, sort, limit or fields.", offset: start)
        }
    }

    private mutating func statistics() throws(TelemetryQueryError) -> QueryPipe {
        var statistics: [QueryStatistic] = []
        repeat {
            _ = scanner.nextPart()
            let start = scanner.position
            let name = scanner.run(.word)
            if name.isEmpty { throw scanner.unexpected("a function") }
            let function = try function(name, at: start)
            var (alias, nameStart): (String?, Int) = (nil, start)
            if scanner.consumeWord("as") {
                _ = scanner.nextPart()
                nameStart = scanner.position
                alias = try self.name("a name")
            }
            let statistic = QueryStatistic(function: function, alias: alias)
            statistics.append(statistic)
            try add(statistic.column, at: nameStart)
        } while scanner.consumePart(",")
        return .stats(statistics, by: scanner.consumeWord("by") ? try groups() : [])
    }

    private mutating func top() throws(TelemetryQueryError) -> QueryPipe {
        let start = scanner
        let next = scanner.nextPart()
        var limit = 10
        if let next, next &- UInt8(ascii: "0") < 10, let number = Int(scanner.run(.word)) {
            limit = number
        } else {
            scanner = start
        }
        columns = [ExactString(QueryPipe.topColumn)]
        return .top(limit, by: try groups())
    }

    private mutating func sort() throws(TelemetryQueryError) -> QueryPipe {
        guard scanner.consumeWord("by") else { throw scanner.unexpected("by") }
        var keys: [QuerySortKey] = []
        repeat {
            let name = QueryName(text: try group().column)
            keys.append(QuerySortKey(name: name, isDescending: scanner.consumeWord("desc")))
        } while scanner.consumePart(",")
        return .sort(keys)
    }

    private mutating func count() throws(TelemetryQueryError) -> Int {
        let next = scanner.nextPart()
        let start = scanner.position
        let text = scanner.run(.word)
        guard let next, next &- UInt8(ascii: "0") < 10, let number = Int(text) else {
            if text.isEmpty { throw scanner.unexpected("a whole number") }
            throw TelemetryQueryError(message: "Expected a whole number.", offset: start)
        }
        return number
    }

    private mutating func fields() throws(TelemetryQueryError) -> QueryPipe {
        .fields(try groups().map { QueryName(text: $0.column) })
    }

    private mutating func groups() throws(TelemetryQueryError) -> [QueryGroup] {
        var groups: [QueryGroup] = []
        repeat {
            _ = scanner.nextPart()
            let start = scanner.position
            groups.append(try group())
            try add(groups[groups.count - 1].column, at: start)
        } while scanner.consumePart(",")
        return groups
    }

    private mutating func add(_ column: String, at start: Int) throws(TelemetryQueryError) {
        guard columns.insert(ExactString(column)).inserted else {
            throw TelemetryQueryError(message: "There is a column \(column) already.", offset: start)
        }
    }

    /// A field or a column, which can be written as the function or the span of time that it is named after.
    private mutating func group() throws(TelemetryQueryError) -> QueryGroup {
        let isQuoted = scanner.nextPart() == UInt8(ascii: "\"")
        let start = scanner.position
        let text = try name("a field")
        if !isQuoted, scanner.next == UInt8(ascii: "(") {
            return .value(QueryName(text: try function(text, at: start).description))
        }
        guard text == "time", scanner.consumePart(":") else { return .value(QueryName(text: text)) }
        let sizeStart = scanner.nextPart().map { _ in scanner.position }
        let size = scanner.run(.word)
        guard let sizeStart, !size.isEmpty else { throw scanner.unexpected("a duration such as 1m") }
        guard let duration = QueryDuration(size), duration.seconds > 0 else {
            throw TelemetryQueryError(message: "Expected a duration such as 30s, 1m, 6h or 1d.", offset: sizeStart)
        }
        return .time(duration)
    }

    private mutating func function(_ name: String, at start: Int) throws(TelemetryQueryError) -> QueryFunction {
        guard QueryFunction.names.contains(name) else {
            let names = QueryFunction.names.joined(separator: ", ")
            throw TelemetryQueryError(message: "Expected one of the functions \(names).", offset: start)
        }
        guard scanner.open() else { throw scanner.unexpected("an opening parenthesis") }
        let function: QueryFunction
        if name == "count", scanner.nextPart() == UInt8(ascii: ")") {
            function = .countRows
        } else {
            let share = name == "quantile" ? try self.share() : nil
            function = .init(name, of: QueryName(text: try group().column), share: share)
        }
        try scanner.close(expecting: "a closing parenthesis")
        return function
    }

    /// The first argument of `quantile` and the comma after it.
    private mutating func share() throws(TelemetryQueryError) -> QueryShare {
        _ = scanner.nextPart()
        let start = scanner.position
        let text = scanner.run(.word)
        if text.isEmpty { throw scanner.unexpected("a number from 0 to 1") }
        guard let share = QueryShare(text) else {
            throw TelemetryQueryError(message: "Expected a number from 0 to 1.", offset: start)
        }
        guard scanner.consumePart(",") else { throw scanner.unexpected("a comma and a field") }
        return share
    }

    private mutating func name(_ expectation: String) throws(TelemetryQueryError) -> String {
        _ = scanner.nextPart()
        let start = scanner.position
        if let text = try scanner.quoted() {
            try scanner.expectSeparation()
            return text
        }
        let text = scanner.run(.word)
        if text.isEmpty { throw scanner.unexpected(expectation) }
        if text.utf8.contains(UInt8(ascii: "*")) {
            throw TelemetryQueryError(message: "Expected \(expectation) without a star.", offset: start)
        }
        try scanner.expectSeparation()
        return text
    }
}
