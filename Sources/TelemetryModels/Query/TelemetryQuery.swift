#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A question about events in the query language: a filter, and pipes that count, group, sort or shorten what it matches.
///
///     severity:>=warning items:>3 "card declined" -name:retry | stats count(), quantile(0.95, duration) as p95 by scenario, time:1m
///
/// Every store gives the answer that ``result(over:now:)`` gives over the store's events in their order of arrival.
public struct TelemetryQuery: Sendable, CustomStringConvertible {
    /// The maximum length of a query, in bytes of UTF-8.
    static let lengthLimit = 4_096

    /// The canonical text. A query parsed from it is equal to this one.
    public let description: String
    let filter: QueryFilter
    let pipes: [QueryPipe]

    /// Parses a query.
    /// - Parameter text: At most 4,096 bytes of UTF-8, 64 terms, 16 levels of parentheses and 8 pipes. The empty text matches everything.
    /// - Throws: ``TelemetryQueryError`` with what was expected and where.
    public init(_ text: String) throws {
        guard text.utf8.count <= Self.lengthLimit else {
            throw TelemetryQueryError(message: "A query has at most \(Self.lengthLimit) bytes.", offset: Self.lengthLimit)
        }
        var parser = QueryFilterParser(QueryScanner(text))
        filter = try parser.filter()
        var pipeParser = QueryPipeParser(parser.scanner)
        pipes = try pipeParser.all()
        description = QueryDescription.text(of: filter, pipes: pipes, limit: Self.lengthLimit)
    }

    /// Parses a query that is a condition.
    /// - Throws: ``TelemetryQueryError`` with the position of the first pipe, if there is one.
    @_spi(Tooling)
    public init(filter text: String) throws {
        try self.init(text)
        guard hasPipes else { return }
        var parser = QueryFilterParser(QueryScanner(text))
        _ = try parser.filter()
        throw TelemetryQueryError(message: "Expected a filter without pipes.", offset: parser.scanner.position)
    }

    private init(_ filter: QueryFilter) {
        self.filter = filter
        pipes = []
        description = QueryDescription.text(of: filter, pipes: [], limit: Self.lengthLimit)
    }

    /// The empty query, which matches every event.
    public static let all = TelemetryQuery(.and([]))

    /// Whether the query has pipes. A query without pipes can be a condition of a filter.
    public var hasPipes: Bool { !pipes.isEmpty }

    /// Whether the query's filter matches the event; pipes do not matter.
    /// - Parameters:
    ///   - event: An event.
    ///   - now: What `time:15m` counts back from.
    public func matches(_ event: TelemetryEvent, now: Date = .now) -> Bool {
        filter.matches(event, in: QueryContext(now: now))
    }

    /// The same for a stored event, for the project's packages; not part of the interface.
    @_spi(Tooling)
    public func matches(_ event: some QuerySubject, in context: QueryContext) -> Bool { filter.matches(event, in: context) }

    /// Whether the query's filter matches all events of a cell, or none; nil if it depends on the event. For the project's packages; not
    /// part of the interface.
    @_spi(Tooling)
    public func matches(_ cell: QueryCell, in context: QueryContext) -> Bool? { filter.matches(cell, in: context) }

    /// Whether the words of a cell may decide on the query's filter; for the project's packages, not part of the interface.
    @_spi(Tooling)
    public var usesWords: Bool { filter.usesWords }

    /// What every event fulfils that the query's filter matches; for the project's packages, not part of the interface.
    @_spi(Tooling)
    public func bounds(now: Date) -> QueryBounds { QueryBounds(filter, now: now) }

    /// The conditions that an event has to fulfil, all of them, to match the query's filter: each as a query, in the order of the text.
    /// For the project's packages; not part of the interface.
    @_spi(Tooling)
    public var conditions: [TelemetryQuery] {
        guard case .and(let filters) = filter else { return [TelemetryQuery(filter)] }
        return filters.map { TelemetryQuery($0) }
    }

    /// The fields that may decide on the result; for the project's packages, not part of the interface.
    @_spi(Tooling)
    public var fields: Set<QueryField> { pipes.reduce(into: filter.fields) { $0.formUnion($1.fields) } }

    /// What every event has that the query's filter matches; for the project's packages, not part of the interface.
    @_spi(Tooling)
    public var literals: QueryLiterals { QueryLiterals(filter) }

    /// Evaluates the query on events in their order.
    /// - Parameters:
    ///   - events: The events; each is read once.
    ///   - now: What `time:15m` counts back from.
    /// - Throws: ``TelemetryQueryError`` if the query exceeds a limit: 10,000 sorted events, 100,000 groups, or 1,000,000 distinct values.
    public func result(
        over events: some Sequence<TelemetryEvent>, now: Date = .now
    ) throws -> TelemetryQueryResult {
        var evaluation = QueryEvaluation<TelemetryEvent>(self, in: QueryContext(now: now))
        for event in events { try evaluation.add(event) }
        return TelemetryQueryResult(try evaluation.result())
    }
}

extension TelemetryQuery: Hashable {
    public static func == (left: Self, right: Self) -> Bool { ExactString(left.description) == ExactString(right.description) }

    public func hash(into hasher: inout Hasher) { hasher.combine(ExactString(description)) }
}

/// The stored form: the canonical text.
extension TelemetryQuery: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(text) is not a query", underlyingError: error))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
