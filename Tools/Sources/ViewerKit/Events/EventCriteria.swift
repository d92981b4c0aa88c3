@_spi(Tooling) public import TelemetryModels
public import TelemetryTransport

/// Selects events: the store applies a filter, and the viewer applies the other criteria.
public struct EventCriteria: Sendable {
    /// The filter that the store applies.
    public var filter: TelemetryEventFilter
    /// The clients whose events match, if there are several; nil if ``filter`` selects the clients.
    public var clients: Set<String>?
    /// The patterns with `*` and `?` of further clients, which may appear while events are followed.
    public var clientPatterns: [String] = []
    /// The patterns that must all match.
    public var including: [EventPattern] = []
    /// The patterns of which none may match.
    public var excluding: [EventPattern] = []
    /// The lowest severity of the events that match; nil for any.
    package var severity: QuerySeverity?
    /// The processor time that is left for expressions.
    private var budget = SearchBudget()

    public init(filter: TelemetryEventFilter = .all, clients: Set<String>? = nil) {
        self.filter = filter
        self.clients = clients
    }

    /// Whether an event that matches ``filter`` also matches the other criteria.
    /// - Throws: ``ToolFailure`` if a regular expression takes too long.
    public mutating func matches(_ event: TelemetryEvent) throws -> Bool {
        guard isOfWantedClient(event), severity.map({ event.severity >= $0 }) ?? true else { return false }
        for pattern in including {
            guard try finds(pattern, in: event) else { return false }
        }
        for pattern in excluding {
            guard try !finds(pattern, in: event) else { return false }
        }
        return true
    }

    private mutating func finds(_ pattern: EventPattern, in event: TelemetryEvent) throws -> Bool {
        switch budget.outcome(of: pattern, for: event) {
        case .match: return true
        case .noMatch: return false
        case .tooSlow:
            throw ToolFailure(
                .data,
                "The regular expression \"\(pattern.text.visible.fitted(to: 80))\" takes too long to search for. Simplify it; "
                    + "nested repetitions such as (a+)+ are slow.")
        }
    }

    /// Whether the event belongs to one of ``clients``, or to a client that matches one of ``clientPatterns``.
    public func isOfWantedClient(_ event: TelemetryEvent) -> Bool { isOfWantedClient(event.clientId) }

    /// Whether the client is one of ``clients``, or matches one of ``clientPatterns``.
    public func isOfWantedClient(_ clientId: String?) -> Bool {
        guard let clients else { return true }
        guard let clientId else { return false }
        return clients.contains(clientId) || clientPatterns.contains { clientId.matches(pattern: $0) }
    }

    /// The events of a page that belong to the selected clients.
    public func events(of page: TelemetryEventPage) -> [TelemetryEvent] {
        clients == nil ? page.events : page.events.filter(isOfWantedClient)
    }
}
