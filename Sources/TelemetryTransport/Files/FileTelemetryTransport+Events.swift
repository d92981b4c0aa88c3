public import TelemetryModels

extension FileTelemetryTransport {
    public func append(_ events: [TelemetryEvent]) async throws {
        for event in events { try EventLimits.check(event, maximumBytes: configuration.maximumEventBytes) }
        // One client after the other in the order given; a batch of the logger's is of one client.
        var rest = events[...]
        while let first = rest.first {
            let run = rest.prefix { EventContext.isSame($0.clientId, first.clientId) }
            rest = rest.dropFirst(run.count)
            try await append(run, toClient: first.clientId)
        }
    }

    private func append(_ events: ArraySlice<TelemetryEvent>, toClient clientId: String?) async throws {
        let name = StoreLayout.client(clientId)
        try await whenUnlocked("the events of the client \"\(clientId ?? "")\"") { () -> Void? in
            let client = self.client(named: name)
            do {
                guard try client.tryLock() else { return nil }
                defer { client.unlock() }
                return try client.append(events, journal: journal) ? () : nil
            } catch let error as FileError where error.isNotFound {
                // The directory was lost; what can be made again is made again.
                closeFiles()
                try StoreFormat(layout: layout, system: system).prepare()
                return nil
            }
        }
    }

    public func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        try NameRules.check(limit: limit)
        let start = try position(of: cursor)
        let client = filter.clientId.map { StoreLayout.client($0) }
        var lines = JournalReader(
            layout: layout, system: system, diagnostics: configuration.diagnostics, position: start)
        var found: [TelemetryEvent] = []
        var linesRead = start.linesRead
        var examined = 0
        do {
            while let (line, at) = try lines.next() {
                guard case .batch(let batch) = line else { continue }
                let first = linesRead
                linesRead = 0
                if found.count >= limit { return page(found, at, hasMore: true) }
                if let client, batch.client != client { continue }
                let read = try segments.read(batch, fromLine: first) { event in
                    if filter.matches(event) { found.append(event) }
                    return found.count < limit
                }
                if let read, read < batch.lineCount {
                    var next = at
                    next.linesRead = read
                    return page(found, next, hasMore: true)
                }
                examined += 1
                if examined.isMultiple(of: 64) {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        } catch let error as FileError {
            throw error.transportError
        }
        return page(found, lines.position, hasMore: false)
    }

    private func page(_ events: [TelemetryEvent], _ position: JournalPosition, hasMore: Bool) -> TelemetryEventPage {
        TelemetryEventPage(events: events, cursor: position.cursor, hasMore: hasMore)
    }

    public func countEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        var count = 0
        var cursor: TelemetryCursor?
        while true {
            let page = try await events(matching: filter, after: cursor, limit: 1_000)
            count += page.events.count
            cursor = page.cursor
            if !page.hasMore { return count }
        }
    }

    public nonisolated func eventArrivals() -> AsyncStream<Void> { follower.arrivals() }

    func client(named name: String) -> ClientStore {
        if let known = clients[name] { return known }
        let made = ClientStore(
            name: name, layout: layout, system: system, configuration: configuration, reader: segments)
        clients[name] = made
        return made
    }

    /// Where to read on, which is the beginning of the oldest journal file without a cursor.
    private func position(of cursor: TelemetryCursor?) throws -> JournalPosition {
        do {
            let beginning = JournalPosition(file: 1, offset: 0, events: 0)
            guard let cursor else {
                let oldest = try system.list(layout.journal).compactMap(StoreLayout.journalNumber).min()
                return oldest.map { JournalPosition(file: $0, offset: 0, events: 0) } ?? beginning
            }
            guard let position = JournalPosition(cursor) else { throw Self.foreign(cursor) }
            if let status = try system.status(layout.journalFile(position.file)) {
                guard position.offset <= status.size else { throw Self.foreign(cursor) }
            } else if position != beginning {
                throw Self.foreign(cursor)
            }
            return position
        } catch let error as FileError {
            throw error.transportError
        }
    }

    private static func foreign(_ cursor: TelemetryCursor) -> TelemetryTransportError {
        .invalidArgument("\"\(cursor.rawValue)\" is no cursor of this store.")
    }
}
