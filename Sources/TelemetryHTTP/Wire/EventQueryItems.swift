import Foundation
import TelemetryModels
import TelemetryTransport

/// A filter as query parameters of the events' routes.
struct EventQueryItems {
    private(set) var items: [(name: String, value: String)] = []
    /// Whether no event can match: an empty set, or a date outside the years 1 to 9999.
    private(set) var matchesNothing = false

    /// The dates that have a text form.
    private static let years = Date(timeIntervalSince1970: -62_135_596_800)...Date(timeIntervalSince1970: 253_402_300_799)
    private static let someDate = "2001-01-01T00:00:00.000Z"

    /// - Throws: `.invalidArgument` for a filter whose query has pipes.
    init(_ filter: TelemetryEventFilter) throws {
        try filter.validate()
        if let clientId = filter.clientId { items.append(("client", clientId)) }
        if let sessionId = filter.sessionId { items.append(("session", sessionId)) }
        add("scenario", filter.scenarios?.sorted())
        add("level", filter.levels?.sorted().map(\.rawValue))
        add("name", filter.names?.sorted())
        if let query = filter.query { items.append(("query", query.description)) }
        // Comparisons are false for NaN, so that such a bound excludes nothing.
        if let since = filter.since, since > Self.years.lowerBound {
            if since > Self.years.upperBound { matchesNothing = true }
            add("since", since)
        }
        if let until = filter.until, until <= Self.years.upperBound {
            if until <= Self.years.lowerBound { matchesNothing = true }
            add("until", until)
        }
    }

    /// The parameters of a page. If nothing can match, they are an empty time range, because the relay still checks and advances
    /// the cursor.
    var pageItems: [(name: String, value: String)] {
        matchesNothing ? [("since", Self.someDate), ("until", Self.someDate)] : items
    }

    private mutating func add(_ name: String, _ values: [String]?) {
        guard let values else { return }
        if values.isEmpty { matchesNothing = true }
        items += values.map { (name, $0) }
    }

    private mutating func add(_ name: String, _ date: Date) {
        if let text = TimestampFormat.string(from: date) { items.append((name, text)) }
    }
}
