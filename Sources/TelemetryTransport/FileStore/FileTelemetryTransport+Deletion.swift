import TelemetryModels

extension FileTelemetryTransport {
    /// Removes every stored event that matches, also while other processes append, and frees its space.
    ///
    /// Events appended during the call may remain. From a damaged segment, only the readable lines that match are removed.
    @discardableResult
    public func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        var count = 0
        var batches = try reading {
            try SegmentBatches(layout: layout, system: system, client: filter.clientId.map(StoreLayout.client))
        }
        for name in try clientDirectories(of: filter) {
            // One segment at a time, so that writers are not blocked for long.
            for segment in try reading({ try client(named: name).segmentNames() }) {
                count += try await whenUnlocked("the events of a client") {
                    let client = self.client(named: name)
                    guard try client.tryLock() else { return nil }
                    defer { client.unlock() }
                    return try client.deleteEvents(matching: filter, from: segment, batches: &batches)
                }
                await Task.yield()
            }
        }
        removeGoneClients(matching: filter)
        collectJournal()
        return count
    }
}
