package import TelemetryTransport

/// A transport for tests of what a logger appends: it has no events to read.
package protocol AppendOnlyTransport: TelemetryEventTransport {}

extension AppendOnlyTransport {
    package func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        TelemetryEventPage(events: [], cursor: TelemetryCursor(rawValue: ""), hasMore: false)
    }

    package func countEvents(matching filter: TelemetryEventFilter) async throws -> Int { 0 }
    package func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int { 0 }
}
