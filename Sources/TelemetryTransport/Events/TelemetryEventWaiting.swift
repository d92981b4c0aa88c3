/// A transport that can wait for events where they are stored, instead of asking again after a hint.
package protocol TelemetryEventWaiting: TelemetryEventTransport {
    /// Reads as ``events(matching:after:limit:)``; waits as long as there is nothing to return, also while the store is out of reach.
    func nextEvents(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor, limit: Int
    ) async throws -> TelemetryEventPage
}
