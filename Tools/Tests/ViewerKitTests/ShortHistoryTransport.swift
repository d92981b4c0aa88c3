import Synchronization
import TelemetryModels
import TelemetryTransport

/// Reads in both directions, in pages that are shorter than requested, as a relay does.
final class ShortHistoryTransport: TelemetryEventTransport {
    private let base: InMemoryTelemetryTransport
    private let maximum: Int
    private let limits = Mutex<[Int]>([])

    /// The limits of the pages that were requested backwards.
    var historyLimits: [Int] { limits.withLock(\.self) }

    init(_ base: InMemoryTelemetryTransport, maximum: Int) {
        self.base = base
        self.maximum = maximum
    }

    func append(_ events: [TelemetryEvent]) async throws { try await base.append(events) }

    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int { try await base.countEvents(matching: filter) }

    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int { try await base.deleteEvents(matching: filter) }

    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        try await base.events(matching: filter, after: cursor, limit: min(limit, maximum))
    }

    func events(
        matching filter: TelemetryEventFilter, before cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventHistoryPage {
        limits.withLock { $0.append(limit) }
        return try await base.events(matching: filter, before: cursor, limit: min(limit, maximum))
    }
}
