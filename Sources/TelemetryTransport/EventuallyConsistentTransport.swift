/// A store whose queries return a change only after a delay.
///
/// A transport whose queries return every change immediately does not conform.
public protocol EventuallyConsistentTransport: TelemetryTransporting {
    /// How long a change may stay hidden from queries: from ``TelemetryRecordTransport/records(matching:)`` and the events'
    /// methods that take a filter. What a client deleted on their word is deleted once more when this time is over.
    var consistencyDelay: Duration { get }
}
