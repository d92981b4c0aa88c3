/// A store whose queries come to know of a change only after a while.
///
/// A transport whose queries know of every change at once does not conform.
public protocol EventuallyConsistentTransport: TelemetryTransporting {
    /// How long a change may stay hidden from queries: from ``TelemetryRecordTransport/records(matching:)`` and the events'
    /// methods that take a filter. What a client deleted on their word is deleted once more when this time is over.
    var consistencyDelay: Duration { get }
}
