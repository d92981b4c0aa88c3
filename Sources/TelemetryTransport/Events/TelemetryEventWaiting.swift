/// A transport whose store can wait for events, so that no hints are needed.
package protocol TelemetryEventWaiting: TelemetryEventTransport {
    /// Like ``events(matching:after:limit:)``, but waits until there is something to return, also while the store is unreachable.
    func nextEvents(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor, limit: Int
    ) async throws -> TelemetryEventPage
}
