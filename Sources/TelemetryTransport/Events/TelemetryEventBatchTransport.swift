/// A transport that stores a logger's batches without converting them to `TelemetryEvent`s first.
///
/// A refinement of ``TelemetryEventTransport/append(_:)``: both store the same events, with the same guarantees and errors, which
/// `TelemetryTransportConformance` checks.
public protocol TelemetryEventBatchTransport: TelemetryEventTransport {
    /// Stores the events of a batch in its order. Called by the logger, one batch at a time.
    ///
    /// On return all events are stored. After an error some may be, and trying again is safe. The default converts the events and
    /// calls ``TelemetryEventTransport/append(_:)``.
    /// - Throws: ``TelemetryTransportError``, as ``TelemetryEventTransport/append(_:)`` does.
    func append(_ batch: TelemetryEventBatch) async throws
}

extension TelemetryEventBatchTransport {
    public func append(_ batch: TelemetryEventBatch) async throws { try await append(batch.events) }
}
