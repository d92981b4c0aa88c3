import TelemetryModels
import TelemetryTransport

/// Joins consecutive batches of few events, since each batch is stored on its own.
struct ArchivedBatches {
    /// A batch with fewer events is joined with its neighbour, for which both have to be converted.
    private static let fewEvents = 16
    private static let maximumCount = 512

    private var batches: [TelemetryEventBatch] = []
    /// The events of the last batch, which is not in `batches` yet, if it was joined.
    private var joined: [TelemetryEvent] = []

    mutating func append(_ batch: TelemetryEventBatch) {
        let last = joined.isEmpty ? batches.last?.count ?? 0 : joined.count
        guard last > 0, min(last, batch.count) < Self.fewEvents, last + batch.count <= Self.maximumCount else {
            endJoined()
            return batches.append(batch)
        }
        if joined.isEmpty, let previous = batches.popLast() { joined = previous.events }
        joined += batch.events
    }

    /// All batches in order; empties this.
    mutating func take() -> [TelemetryEventBatch] {
        endJoined()
        defer { batches = [] }
        return batches
    }

    private mutating func endJoined() {
        if !joined.isEmpty { batches.append(TelemetryEventBatch(joined)) }
        joined = []
    }
}
