@_spi(Tooling) package import TelemetryModels
public import TelemetryTransport

/// Which events a view shows. The store applies ``events`` to stored events, and the view to new ones.
public struct WatchFilter: Sendable {
    /// What the user can change while the view is shown.
    struct Conditions: Sendable, Equatable {
        /// The query that was typed.
        var query = TelemetryQuery.all
        /// Only events of this severity and above; nil for all.
        var severity: QuerySeverity?
        /// Only events of this client; nil for all.
        var clientId: String?
    }

    /// The filter of the command line, which all events match.
    public let base: TelemetryEventFilter
    private(set) var conditions = Conditions()
    /// All conditions as one filter.
    public private(set) var events: TelemetryEventFilter

    public init(_ base: TelemetryEventFilter = .all) {
        self.base = base
        events = base
    }

    /// - Throws: `TelemetryQueryError` if the query and the severity together exceed a limit of the language.
    package init(_ base: TelemetryEventFilter, severity: QuerySeverity?) throws {
        self.init(base)
        try change { $0.severity = severity }
    }

    /// Whether the view shows fewer events than the command line selects.
    public var isNarrow: Bool { conditions != Conditions() }
    /// Whether some events may not match.
    var selects: Bool { events.query != nil || events.clientId != nil }
    /// Whether events are selected by what they contain, so that gaps between them mean nothing.
    var selectsContents: Bool { events.query != nil }

    /// Whether the event fulfils the query and the conditions, whatever its date is: events from before the view's start are read on
    /// request.
    func accepts(_ event: TelemetryEvent) -> Bool {
        var filter = events
        filter.since = nil
        return filter.matches(event)
    }

    /// Changes the conditions.
    /// - Throws: `TelemetryQueryError` if they together exceed a limit of the language. The filter is then unchanged.
    mutating func change(_ change: (inout Conditions) -> Void) throws {
        var changed = conditions
        change(&changed)
        let severity = try changed.severity.map { try TelemetryQuery("severity:>=\($0.rawValue)") }
        var events = base
        events.query = try [severity, changed.query].compactMap(\.self).reduce(base.query) { try ($0 ?? .all).and($1) }
        if events.query == .all { events.query = nil }
        events.clientId = changed.clientId ?? base.clientId
        (conditions, self.events) = (changed, events)
    }
}

extension TelemetryQuery {
    /// The query for the events that match both filters.
    /// - Throws: `TelemetryQueryError` if it exceeds a limit of the language.
    func and(_ other: TelemetryQuery) throws -> TelemetryQuery {
        if self == .all { return other }
        return other == .all ? self : try TelemetryQuery(filter: "(\(self)) (\(other))")
    }
}
