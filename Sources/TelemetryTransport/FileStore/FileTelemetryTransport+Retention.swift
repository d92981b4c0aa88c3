import TelemetryModels
import TelemetrySystem

extension FileTelemetryTransport {
    /// Removes segments that exceed the limits, oldest first, but never the one just started.
    ///
    /// A failure is reported, and the removal is tried again when the next segment is begun.
    func enforceRetention(after client: String) async {
        let retention = configuration.retention
        guard retention != .unlimited else { return }
        do {
            var own = try self.client(named: client).holdings()
            own = try await retire(from: own, bytes: retention.bytesPerClient, olderThan: .min, in: client)
            guard retention.maximumTotalBytes != nil || retention.age != nil else { return }
            var oldest = Int64.min
            if let age = retention.age {
                let clock = RetentionClock(layout: layout, system: system, age: age)
                oldest = try clock.oldest(of: holdings()) { self.client(named: $0.client).file(of: $0.segment) } ?? .min
            }
            var all = try holdings()
            all.sort {
                ($0.modified, $0.client, ClientStore.number(of: $0.segment)) < (
                    $1.modified, $1.client, ClientStore.number(of: $1.segment)
                )
            }
            _ = try await retire(from: all, bytes: retention.maximumTotalBytes, olderThan: oldest, in: client)
        } catch {
            report(.storageFailed, "Old events could not be removed: \(error)")
        }
    }

    /// The segments of all clients.
    private func holdings() throws(FileError) -> [ClientStore.Holding] {
        var all: [ClientStore.Holding] = []
        for name in try system.directories(in: layout.events) { all += try client(named: name).holdings() }
        return all
    }

    /// Retires the oldest segments until the rest is within the limits, and returns the rest.
    private func retire(
        from holdings: [ClientStore.Holding], bytes: Int?, olderThan oldest: Int64, in client: String
    ) async throws -> [ClientStore.Holding] {
        let bound = bytes.map { UInt64(clamping: max($0, 0)) } ?? .max
        var total = holdings.reduce(0 as UInt64) { $0.addingClamped($1.size) }
        var kept: [ClientStore.Holding] = []
        for holding in holdings {
            let isCurrent = holding.segment == self.client(named: holding.client).segment?.name
            guard !isCurrent, total > bound || holding.modified < oldest else {
                kept.append(holding)
                continue
            }
            try await whenUnlocked("the events of a client") { () -> Void? in
                let store = self.client(named: holding.client)
                guard try store.tryLock() else { return nil }
                defer { store.unlock() }
                return try store.retire(holding.segment)
            }
            total -= min(total, holding.size)
        }
        return kept
    }
}
