public import TelemetryModels

/// Events in the order in which they were logged, as a logger hands them to a transport.
///
/// A logger keeps events in a compact form. A batch still has that form: a transport that can store it saves the time to make
/// `TelemetryEvent`s of it, any other transport reads the ``events``.
public struct TelemetryEventBatch: Sendable {
    private enum Form {
        case events([TelemetryEvent])
        case encoded(any EncodedEvents)
    }

    private let form: Form

    /// Creates a batch of events, of any clients and sessions.
    public init(_ events: [TelemetryEvent]) { form = .events(events) }

    package init(_ encoded: any EncodedEvents) { form = .encoded(encoded) }

    /// The number of events.
    public var count: Int {
        switch form {
        case .events(let events): events.count
        case .encoded(let events): events.count
        }
    }

    /// The events. Each access may convert them again.
    public var events: [TelemetryEvent] {
        switch form {
        case .events(let events): events
        case .encoded(let events): events.decoded()
        }
    }

    /// The events before their conversion; nil if they are `TelemetryEvent`s.
    package var encoded: (any EncodedEvents)? {
        if case .encoded(let events) = form { events } else { nil }
    }

    /// A part of the batch.
    /// - Parameter range: Of the indices from 0 to below ``count``.
    /// - Precondition: The range is within the batch.
    public subscript(range: Range<Int>) -> TelemetryEventBatch {
        let count = count
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "The range is not within the batch.")
        if range == 0..<count { return self }
        switch form {
        case .events(let events): return TelemetryEventBatch(Array(events[range]))
        case .encoded(let events): return TelemetryEventBatch(events.part(range))
        }
    }
}
