import TelemetryModels
import TelemetryTransport

/// A transport that accepts and discards all events, so that only the logger is measured.
struct NullTransport: TelemetryEventTransport {
    func append(_ events: [TelemetryEvent]) async throws {}

    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        TelemetryEventPage(events: [], cursor: TelemetryCursor(rawValue: ""), hasMore: false)
    }

    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int { 0 }
    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int { 0 }
}
