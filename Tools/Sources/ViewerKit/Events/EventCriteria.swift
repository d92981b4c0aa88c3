public import Foundation
public import TelemetryModels
public import TelemetryTransport

/// Which events are wanted: what the store can tell, and what has to be looked at here.
public struct EventCriteria: Sendable {
    /// What the store filters.
    public var filter: TelemetryEventFilter
    /// The clients whose events are wanted, where they are several; nil where the filter says all.
    public var clients: Set<String>?
    /// Every one of these is to be found in the event.
    public var including: [EventPattern] = []
    /// None of these is to be found in the event.
    public var excluding: [EventPattern] = []

    public init(filter: TelemetryEventFilter = .all, clients: Set<String>? = nil) {
        self.filter = filter
        self.clients = clients
    }

    /// Whether the event is wanted, if it matches the filter.
    public func matches(_ event: TelemetryEvent) -> Bool {
        isOfWantedClient(event) && including.allSatisfy { $0.matches(event) } && !excluding.contains { $0.matches(event) }
    }

    /// Whether the event is one of the wanted clients'.
    public func isOfWantedClient(_ event: TelemetryEvent) -> Bool {
        clients.map { clients in event.clientId.map(clients.contains) ?? false } ?? true
    }

    /// The events of a page that are of the wanted clients.
    public func events(of page: TelemetryEventPage) -> [TelemetryEvent] {
        clients == nil ? page.events : page.events.filter(isOfWantedClient)
    }
}

/// What is looked for in an event's texts.
public enum EventPattern: Sendable {
    /// A text, whatever the case of its letters.
    case text(EventSearch)
    /// An ICU regular expression, whatever the case of the letters.
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
