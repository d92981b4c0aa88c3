import Foundation
@_spi(Tooling) import TelemetryModels
import TelemetrySystem

/// Counts events without reading more of them than necessary.
struct EventCounter {
    let store: OpenStore
    let cursors: EventCursors

    /// The number of a client's events, which is known without reading them unless damage was found.
    /// - Parameter name: The client's directory.
    nonisolated(nonsending) func total(ofClient name: String) async throws -> UInt64 {
        let isDamaged = store.segments.takeDamage(ofClient: name)
        if !isDamaged, let header = store.clients[name].peekHeader() { return header.eventCount }
        return try await store.withLockedClient(name) { client in
            if isDamaged { return try client.recount() }
            guard try store.journal.begin() != nil else { return nil }
            defer { store.journal.end() }
            return try client.withIndex { $0.header.eventCount }
        }
    }

    /// The result of a query over the matching events, of which it needs no more than their numbers; nil if it needs more.
    nonisolated(nonsending) func result(
        of query: TelemetryQuery, matching filter: TelemetryEventFilter, now: Date
    ) async throws -> TelemetryQueryResult? {
        var evaluation = QueryEvaluation<TelemetryEvent>(query, in: QueryContext(now: now))
        let known: Set<QueryField> = [.client, .session, .scenario, .level, .time]
        guard evaluation.isCount, query.fields.isSubset(of: known), filter.names == nil, filter.query == nil else { return nil }
        for count in try await counts(matching: filter) {
            let isCounted = try TelemetryTransportError.evaluating { try evaluation.add(QueryCell(count)) }
            guard isCounted else { return nil }
        }
        return try TelemetryTransportError.evaluating { TelemetryQueryResult(try evaluation.result()) }
    }

    /// The numbers of the matching events, from the summaries in the journal and its indexes.
    nonisolated(nonsending) func counts(matching filter: TelemetryEventFilter) async throws -> [TelemetryEventCount] {
        var counting = SummaryCounting(
            filter: filter, bounds: store.bounds(of: filter),
            source: BatchSource(segments: store.segments, layout: store.layout, system: store.system),
            states: SegmentStates(layout: store.layout, system: store.system))
        var position = try cursors.start(after: nil).position
        var ends = SegmentEnds()
        while let file = try store.reading({ try cursors.nextFile(&position) }) {
            if let index = try index(of: file, counting.bounds), ends.advance(over: index) {
                if counting.bounds.mayMatch(index) {
                    try store.reading { try counting.add(index, file) }
                }
                position.events = index.range.events
            } else {
                var isAtEnd = true
                var lines = JournalReader(
                    layout: store.layout, system: store.system, diagnostics: store.configuration.diagnostics,
                    position: position, readsSummaries: true)
                defer { for (client, at) in lines.tornBatches { store.noteTornBatch(ofClient: client, at) } }
                while let (line, at) = try store.reading({ try lines.next() }) {
                    guard at.file == file else {
                        isAtEnd = false
                        break
                    }
                    position.events = lines.position.events
                    guard case .batch(let batch) = line, ends.insert(batch) else { continue }
                    try store.reading { try counting.add(batch) }
                }
                // A later file may be created now, but what is appended to this one before that was not counted.
                if isAtEnd { break }
            }
            position.file = file + 1
            try Task.checkCancellation()
            await Task.yield()
        }
        return counting.table.counts
    }

    /// The index of a completed journal file, whole if the file may have matching events.
    private func index(of file: UInt64, _ bounds: EventBounds) throws -> JournalIndex? {
        try store.reading {
            let names = try store.indexes.index(of: file, with: .names, storeID: store.id)
            guard let names, bounds.mayMatch(names) else { return names }
            return try store.indexes.index(of: file, with: .all, storeID: store.id)
        }
    }
}

extension QueryCell {
    /// The events that are counted together.
    fileprivate init(_ count: TelemetryEventCount) {
        // The order of two dates may differ from that of their nanoseconds, but not whether they are in the same second.
        let precision = TimeInterval(EventTime.precision) / 1e9
        let second = Date(timeIntervalSinceReferenceDate: count.first.timeIntervalSinceReferenceDate.rounded(.down))
        self.init(
            count: count.count, level: count.level,
            times: max(second, count.first - precision)...(max(count.first, count.last) + precision),
            scenario: .init(count.scenario), client: .init(count.clientId), session: .init(count.sessionId))
    }
}
