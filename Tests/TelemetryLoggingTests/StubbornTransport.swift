import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport

/// A transport whose appends ignore cancellation and return only when they are released.
actor StubbornTransport: TelemetryEventTransport {
    nonisolated let entered = Latch()
    private nonisolated let released = Latch()

    nonisolated func release() { released.open() }

    func append(_ events: [TelemetryEvent]) async throws {
        entered.open()
        await released.wait()
    }

    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        TelemetryEventPage(events: [], cursor: TelemetryCursor(rawValue: ""), hasMore: false)
    }

    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int { 0 }
    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int { 0 }
}
