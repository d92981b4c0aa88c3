#if PostgreSQL
import PostgreSQLClient

/// The ranges of times of the events with nearby numbers, so that a time filter skips the others.
///
/// Events are in order of arrival, not of time. Each transaction adds a span for its events; ``combine(_:)`` makes one of several small
/// ones. Spans may overlap. Deleting events does not narrow a span.
enum PostgreSQLEventSpans {
    /// The part of a statement that adds the span of the events in `written`.
    static let addition = """
        INSERT INTO event_span (first, last, seconds, events)
        SELECT MIN(number), MAX(number), int8range(MIN(seconds), MAX(seconds), '[]'), COUNT(*)
        FROM written HAVING COUNT(*) > 0
        """

    /// A span of at least this many events is not combined with others.
    private static let large = 512
    /// The maximum number of recent spans that ``combine(_:)`` reads.
    private static let recent = 50_000
    /// The maximum number of spans that a query reads; what follows the last of them counts as one range.
    private static let maximumSpans = 4_096
    /// The maximum number of ranges into which spans are merged.
    private static let maximumRanges = 64

    /// The ranges of the numbers between two bounds, both excluded, in which the filter's times may be; nil if it has no times.
    /// - Returns: ranges that do not overlap, in this order.
    static func ranges(
        of filter: RelayEventFilter, after lower: Int64, before upper: Int64, _ order: RelayEventOrder,
        _ connection: PostgreSQLConnection
    ) async throws -> [ClosedRange<Int64>]? {
        guard filter.since != nil || filter.until != nil else { return nil }
        if let since = filter.since, let until = filter.until, since >= until { return [] }
        guard upper - 1 > lower else { return [] }
        let rows = try await connection.execute(
            """
            SELECT first, last FROM event_span
            WHERE last > $1::bigint AND first < $2::bigint AND seconds && int8range($3::bigint, $4::bigint, '[]')
            ORDER BY \(order == .ascending ? "first ASC" : "last DESC") LIMIT \(maximumSpans)
            """,
            [
                .int64(lower), .int64(upper), filter.since.map { .int64($0.seconds) } ?? .null,
                filter.until.map { .int64($0.seconds) } ?? .null,
            ]
        ).rows
        var spans = try rows.map { row in max(try row.int(0), lower + 1)...min(try row.int(1), upper - 1) }
        if spans.count == maximumSpans, let last = spans.last {
            spans.append(order == .ascending ? last.lowerBound...(upper - 1) : (lower + 1)...last.upperBound)
        }
        let ranges = merged(spans)
        return order == .ascending ? ranges : ranges.reversed()
    }

    /// Merges spans that overlap, and then those with the smallest gaps.
    static func merged(_ spans: [ClosedRange<Int64>], atMost limit: Int = maximumRanges) -> [ClosedRange<Int64>] {
        let ranges = joined(spans.sorted { $0.lowerBound < $1.lowerBound }, acrossGapsBelow: 1)
        guard ranges.count > limit else { return ranges }
        let gaps = zip(ranges, ranges.dropFirst()).map { $1.lowerBound - $0.upperBound }.sorted(by: >)
        // Equal gaps are all joined, so there may be fewer ranges than allowed.
        return joined(ranges, acrossGapsBelow: gaps[limit - 1] + 1)
    }

    private static func joined(_ spans: [ClosedRange<Int64>], acrossGapsBelow gap: Int64) -> [ClosedRange<Int64>] {
        spans.reduce(into: []) { ranges, span in
            if let last = ranges.last, span.lowerBound - last.upperBound < gap {
                ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, span.upperBound)
            } else {
                ranges.append(span)
            }
        }
    }

    /// Combines small spans with no large one between them, and removes those before the first event.
    static func combine(_ connection: PostgreSQLConnection) async throws {
        try await connection.execute(
            "DELETE FROM event_span WHERE last < COALESCE((SELECT MIN(number) FROM event), 9223372036854775807)")
        try await connection.execute(
            """
            WITH span AS (
                SELECT first, events, COUNT(*) FILTER (WHERE events >= \(large)) OVER (ORDER BY first) AS island
                FROM (SELECT first, events FROM event_span ORDER BY first DESC LIMIT \(recent)) AS recent
            ), part AS (
                SELECT first, island, (SUM(events) OVER (PARTITION BY island ORDER BY first))::bigint / \(large * 2) AS part
                FROM span WHERE events < \(large)
            ), combined AS (
                SELECT first, MIN(first) OVER whole AS id, COUNT(*) OVER whole AS spans
                FROM part WINDOW whole AS (PARTITION BY island, part)
            ), gone AS (
                DELETE FROM event_span AS s USING combined AS c WHERE s.first = c.first AND c.spans > 1
                RETURNING c.id, s.first, s.last, s.seconds, s.events
            )
            INSERT INTO event_span (first, last, seconds, events)
            SELECT MIN(first), MAX(last), int8range(MIN(lower(seconds)), MAX(upper(seconds))), SUM(events)
            FROM gone GROUP BY id
            """)
    }
}
#endif
