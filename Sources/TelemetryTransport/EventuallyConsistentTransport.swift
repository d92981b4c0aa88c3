/// A store whose queries return a change only after a delay.
///
/// A transport whose queries return every change immediately does not conform.
public protocol EventuallyConsistentTransport: TelemetryTransporting {
    /// How long a change may be missing from the results of ``TelemetryRecordTransport/records(matching:)`` and of the event
    /// methods that take a filter. A client repeats deletions that are based on such results after this time.
    var consistencyDelay: Duration { get }
}
