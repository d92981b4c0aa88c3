import TelemetryModels
import TelemetrySystem

/// Removes segments that exceed the limits of a store, oldest first.
struct StoreRetention {
    let store: OpenStore

    /// Removes what exceeds the limits, but never the segment just started.
    ///
    /// A failure is reported, and the removal is tried again when the next segment is begun.
    nonisolated(nonsending) func enforce(after client: String) async {
        let retention = store.configuration.retention
        guard retention != .unlimited else { return }
        do {
            var own = try store.clients[client].holdings()
            own = try await retire(from: own, bytes: retention.bytesPerClient, olderThan: .min)
            guard retention.maximumTotalBytes != nil || retention.age != nil else { return }
            var oldest = Int64.min
            if let age = retention.age {
                let clock = RetentionClock(layout: store.layout, system: store.system, age: age)
                oldest = try clock.oldest(of: holdings()) { store.clients[$0.client].file(of: $0.segment) } ?? .min
            }
            var all = try holdings()
            all.sort {
                ($0.modified, $0.client, ClientStore.number(of: $0.segment)) < (
                    $1.modified, $1.client, ClientStore.number(of: $1.segment)
                )
            }
            _ = try await retire(from: all, bytes: retention.maximumTotalBytes, olderThan: oldest)
        } catch {
            store.report(.storageFailed, "Old events could not be removed: \(error)")
        }
    }

    /// The segments of all clients.
    private func holdings() throws(FileError) -> [ClientStore.Holding] {
        var all: [ClientStore.Holding] = []
        for name in try store.system.directories(in: store.layout.events) { all += try store.clients[name].holdings() }
        return all
    }

    /// Retires the oldest segments until the rest is within the limits, and returns the rest.
    nonisolated(nonsending) private func retire(
        from holdings: [ClientStore.Holding], bytes: Int?, olderThan oldest: Int64
    ) async throws -> [ClientStore.Holding] {
        let bound = bytes.map { UInt64(clamping: max($0, 0)) } ?? .max
        var total = holdings.reduce(0 as UInt64) { $0.addingClamped($1.size) }
        var kept: [ClientStore.Holding] = []
        for holding in holdings {
            let isCurrent = holding.segment == store.clients[holding.client].segment?.name
            guard !isCurrent, total > bound || holding.modified < oldest else {
                kept.append(holding)
                continue
            }
            try await store.withLockedClient(holding.client) { try $0.retire(holding.segment) }
            total -= min(total, holding.size)
        }
        return kept
    }
}
