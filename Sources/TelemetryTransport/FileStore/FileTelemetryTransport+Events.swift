public import TelemetryModels
import TelemetrySystem

extension FileTelemetryTransport {
    /// The maximum number of events that are stored at once, so that a page does not have to read much more than it returns.
    static let batchSize = 512

    /// Stores events in the order given. Appends for different clients do not wait for each other.
    ///
    /// Checks every event first, and stores none if one of them is invalid.
    /// - Throws: ``TelemetryTransportError``: `.invalidArgument` for a client identifier that is empty or too long, a date
    ///   outside the years 1 to 9999, or an event larger than ``Configuration/maximumEventBytes``.
    public func append(_ events: [TelemetryEvent]) async throws {
        if let first = events.first, events.withUnsafeBufferPointer({ Self.endOfRun(in: $0, from: 0) }) == events.count {
            // One batch of one client, as from the logger: checked while it is encoded, before anything is stored.
            if let clientId = first.clientId { try NameRules.check(clientId: clientId) }
            return try await append(.events(events[...]), to: directoryName(ofClient: first.clientId))
        }
        let maximum = configuration.effectiveEventBytes
        try events.withUnsafeBufferPointer { events in
            guard let first = events.baseAddress else { return }
            for event in first..<first + events.count {
                if let clientId = event.pointee.clientId { try NameRules.check(clientId: clientId) }
                try reading { try EventLimits.check(event, maximumBytes: maximum) }
            }
        }
        var start = 0
        while start < events.count {
            let end = events.withUnsafeBufferPointer { Self.endOfRun(in: $0, from: start) }
            try await append(.events(events[start..<end]), to: directoryName(ofClient: events[start].clientId))
            start = end
        }
    }

    /// Stores the events of a logger without converting them to `TelemetryEvent`s.
    ///
    /// If one of them is invalid, those of earlier parts of a batch of more than 512 may have been stored.
    /// - Throws: ``TelemetryTransportError``, as the same method for an array of events does.
    public func append(_ batch: TelemetryEventBatch) async throws {
        guard let encoded = batch.encoded, encoded.count > 0 else { return try await append(batch.events) }
        if let clientId = encoded.origin.clientId { try NameRules.check(clientId: clientId) }
        let name = directoryName(ofClient: encoded.origin.clientId)
        if encoded.count <= Self.batchSize { return try await append(.encoded(encoded), to: name) }
        for start in stride(from: 0, to: encoded.count, by: Self.batchSize) {
            let part = encoded.part(start..<min(start + Self.batchSize, encoded.count))
            try await append(.encoded(part), to: name)
        }
    }

    /// The end index of the run of one client's events that begins at `start`, limited to a full batch.
    private static func endOfRun(in events: UnsafeBufferPointer<TelemetryEvent>, from start: Int) -> Int {
        var end = start + 1
        while end < events.count, end - start < batchSize,
            EventContext.isSame(events[end].clientId, events[start].clientId)
        {
            end += 1
        }
        return end
    }

    private func append(_ events: ClientEvents, to name: String) async throws {
        try await whenUnlocked("the events of a client") { () -> Void? in
            let client = self.client(named: name)
            guard try client.tryLock() else { return nil }
            defer { client.unlock() }
            return try client.append(events, with: &encoder) ? () : nil
        }
        let client = self.client(named: name)
        if client.hasNewSegment {
            client.hasNewSegment = false
            await enforceRetention(after: name)
        }
        collectJournal()
    }

    public func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        try NameRules.check(limit: limit)
        let start = try reading { try startingPoint(cursor) }
        var found: [TelemetryEvent] = []
        found.reserveCapacity(min(limit, 512))
        let end = try await scan(filter, from: start.position) { event in
            found.append(consume event)
            return found.count < limit
        }
        return TelemetryEventPage(
            events: found, cursor: TelemetryCursor(rawValue: end.position.text(ofStore: storeID)), hasMore: end.hasMore,
            skippedEventCount: Int(clamping: start.missed.addingClamped(end.missed)))
    }

    /// The number of stored events that match. The totals, overall and per client, are known without reading events.
    public func countEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        if filter.selectsWholeClients {
            var count: UInt64 = 0
            for name in try clientDirectories(of: filter) {
                count = count.addingClamped(try await eventCount(ofClientNamed: name))
            }
            return Int(clamping: count)
        }
        var count = 0
        _ = try await scan(filter, from: reading { try startingPoint(nil) }.position) { _ in
            count += 1
            return true
        }
        return count
    }

    public nonisolated func eventArrivals() -> AsyncStream<Void> { follower.arrivals() }

    /// The directories of the clients whose events the filter may match.
    func clientDirectories(of filter: TelemetryEventFilter) throws -> [String] {
        try reading {
            if let clientId = filter.clientId {
                let name = directoryName(ofClient: clientId)
                if try system.status(layout.client(directory: name)) != nil { return [name] }
                // Throws if the store is unreachable: it must not appear empty.
                _ = try system.list(layout.events)
                return []
            }
            return try system.directories(in: layout.events)
        }
    }

    private func eventCount(ofClientNamed name: String) async throws -> UInt64 {
        let isDamaged = segments.takeDamage(ofClient: name)
        if !isDamaged, let header = client(named: name).peekHeader() { return header.eventCount }
        return try await whenUnlocked("the events of a client") {
            let client = self.client(named: name)
            guard try client.tryLock() else { return nil }
            defer { client.unlock() }
            if isDamaged { return try client.recount() }
            guard try journal.begin() != nil else { return nil }
            defer { journal.end() }
            return try client.withIndex { $0.header.eventCount }
        }
    }

    /// Removes journal files that are no longer needed, each time one is completed.
    func collectJournal() {
        guard journal.hasEndedFile else { return }
        journal.hasEndedFile = false
        do {
            for number in journal.takeEndedFiles() { try indexes.save(number, storeID: storeID) }
            try ledger.collect(&remainingSegments)
            try removeEmptyClients()
        } catch {
            report(.storageFailed, "Old journal files could not be removed: \(error)")
        }
    }

    var ledger: JournalLedger {
        JournalLedger(
            layout: layout, system: system, isDurable: configuration.durability == .system,
            diagnostics: configuration.diagnostics)
    }
}
