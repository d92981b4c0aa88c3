public import Foundation
public import TelemetryModels
public import TelemetryTransport

/// Selects events: the store applies a filter, and the viewer applies the other criteria.
public struct EventCriteria: Sendable {
    /// The filter that the store applies.
    public var filter: TelemetryEventFilter
    /// The clients whose events match, if there are several; nil if ``filter`` selects the clients.
    public var clients: Set<String>?
    /// The patterns that must all match.
    public var including: [EventPattern] = []
    /// The patterns of which none may match.
    public var excluding: [EventPattern] = []
    /// The lowest severity of the events that match; nil for any.
    public var severity: EventSeverity?

    public init(filter: TelemetryEventFilter = .all, clients: Set<String>? = nil) {
        self.filter = filter
        self.clients = clients
    }

    /// Whether an event that matches ``filter`` also matches the other criteria.
    public func matches(_ event: TelemetryEvent) -> Bool {
        isOfWantedClient(event) && severity.map { event.severity >= $0 } ?? true && including.allSatisfy { $0.matches(event) }
            && !excluding.contains { $0.matches(event) }
    }

    /// Whether the event belongs to one of ``clients``.
    public func isOfWantedClient(_ event: TelemetryEvent) -> Bool {
        clients.map { clients in event.clientId.map(clients.contains) ?? false } ?? true
    }

    /// The events of a page that belong to ``clients``.
    public func events(of page: TelemetryEventPage) -> [TelemetryEvent] {
        clients == nil ? page.events : page.events.filter(isOfWantedClient)
    }
}

/// A pattern to search for in an event's texts.
public enum EventPattern: Sendable {
    /// A text, case-insensitive.
    case text(EventSearch)
    /// An ICU regular expression, case-insensitive.
    case expression(NSRegularExpression)

    /// - Throws: ``ToolFailure`` for an invalid regular expression.
    public init(_ text: String, isExpression: Bool) throws {
        guard isExpression else {
            self = .text(EventSearch(text))
            return
        }
        do { self = .expression(try NSRegularExpression(pattern: text, options: .caseInsensitive)) } catch {
            throw ToolFailure(.data, "\"\(text.visible.fitted(to: 80))\" is not a valid regular expression.")
        }
    }

    public func matches(_ event: TelemetryEvent) -> Bool {
        switch self {
        case .text(let search): search.matches(event)
        case .expression(let expression): event.texts.contains { text in expression.finds(in: text) }
        }
    }
}

extension TelemetryEvent {
    /// The texts that are searched.
    fileprivate var texts: [String] {
        [name, property1 ?? "", scenario ?? ""] + attributes.flatMap { [$0.key, $0.value.plain] }
    }
}

extension NSRegularExpression {
    fileprivate func finds(in text: String) -> Bool {
        firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }
}
