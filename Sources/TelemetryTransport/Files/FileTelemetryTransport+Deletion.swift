import TelemetryModels

extension FileTelemetryTransport {
    /// Removes every stored event that matches, also while other processes append, and gives their space back.
    @discardableResult
    public func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        var count = 0
        do {
            let names = try filter.clientId.map { [StoreLayout.client($0)] } ?? system.list(layout.events).sorted()
            for name in names where try system.status(layout.client(directory: name)) != nil {
                count += try await deleteEvents(matching: filter, ofClientNamed: name)
            }
        } catch let error as FileError {
            throw error.transportError
        }
        return count
    }

    private func deleteEvents(matching filter: TelemetryEventFilter, ofClientNamed name: String) async throws -> Int {
        var count = 0
        // A segment at a time: whoever wants to write meanwhile comes in between.
        var names = try client(named: name).segmentNames()[...]
        while let segment = names.popFirst() {
            count += try await whenUnlocked("a client's events") {
                let client = self.client(named: name)
                guard try client.tryLock() else { return nil }
                defer { client.unlock() }
                return try client.delete(matching: filter, from: segment, journal: journal)
            }
            await Task.yield()
        }
        return count
    }
}
