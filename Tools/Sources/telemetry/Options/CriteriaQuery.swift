import Foundation
import Synchronization
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
import ViewerKit

extension EventCriteria {
    /// Asks the store about the events that ``filter`` and ``clients`` select. Those of several clients are read.
    func result(
        of query: TelemetryQuery, over transport: any TelemetryEventTransport, in store: StoreOptions, _ console: Console
    ) async throws -> TelemetryQueryResult {
        let now = Date.now
        guard clients != nil else {
            let activity = try store.located().relay == nil ? "reading the store" : "waiting for the relay"
            return try await console.withProgress({ activity }) {
                try await transport.result(of: query, matching: filter, now: now)
            }
        }
        // A filter has one client.
        var evaluation = QueryEvaluation<TelemetryEvent>(query, in: QueryContext(now: now))
        let read = Mutex(0)
        try await console.withProgress({ "\(counted(read.withLock(\.self), "event")) read" }) {
            let reader = EventReader(transport: transport, filter: filter)
            _ = try await reader.read(after: nil, following: false) { page in
                for event in events(of: page) { try evaluation.add(event) }
                read.withLock { $0 += page.events.count }
                return true
            }
        }
        return TelemetryQueryResult(try evaluation.result())
    }
}
