import Synchronization

/// Writes batches as blocks, and applies the retention limits, in one transaction.
final class EventBlockWriter: Sendable {
    /// The result of one transaction.
    struct Outcome {
        var results: [RelayAppendResult] = []
        /// The numbers of the stored events.
        var numbers: Range<Int64> = 0..<0
        var expired: [RelayEventRetention.Bound: Int] = [:]
    }

    private let retention: BlockRetention
    private let arrival: ArrivalTime
    private let streams = Mutex(EventStreams())

    init(retention: BlockRetention, arrival: ArrivalTime) {
        self.retention = retention
        self.arrival = arrival
    }

    /// Writes all batches or, if it throws, none.
    func write(_ batches: [EventBatch], _ db: StorageConnection) throws -> Outcome {
        try streams.withLock { streams in
            do {
                return try RelayDatabase.transaction(db.database) { try write(batches, db, &streams) }
            } catch {
                streams.removeAll()
                throw error
            }
        }
    }

    private func write(_ batches: [EventBatch], _ db: StorageConnection, _ streams: inout EventStreams) throws -> Outcome {
        var state = try RelayState.fetch(db.database)
        streams.validate(generation: state.streamGeneration)
        let first = state.nextEvent
        let now = arrival.now(after: state)
        let received = ArrivalTime.milliseconds(now)
        var identities = EventIdentities(db, received: received)
        var outcome = Outcome()
        for batch in batches {
            let start = state.nextEvent
            for run in batch.runs {
                let client = try streams.client(run.client, db)
                let content = try content(run, of: client, received, &identities, &state)
                guard !content.entries.isEmpty else { continue }
                let stream = try streams.stream(of: client, session: run.session, db)
                state.eventBytes += try content.encoded(packs: false).save(db, id: state.takeBlock(), of: stream)
            }
            let stored = Int(state.nextEvent - start)
            outcome.results.append(RelayAppendResult(stored: stored, duplicates: batch.count - stored))
        }
        outcome.numbers = first..<state.nextEvent
        // A batch of duplicates writes nothing.
        guard !outcome.numbers.isEmpty else { return outcome }
        try identities.save()
        state.remembered -= identities.revived
        state.events += Int64(outcome.numbers.count)
        state.arrival = now
        outcome.expired = try retention.trim(db, &state, now: now, atMost: outcome.numbers.count + BlockRetention.step)
        try state.saveEvents(db.database, wall: arrival.wall)
        return outcome
    }

    /// The run's events that are not duplicates.
    private func content(
        _ run: EventBatch.Run, of client: Int64, _ received: Int64, _ identities: inout EventIdentities,
        _ state: inout RelayState
    ) throws -> EventBlockContent {
        var content = EventBlockContent(received: received...received)
        var offset = 0
        for event in run.events {
            defer { offset += event.length }
            guard let identity = try identities.add(event.identifier, client: client) else { continue }
            content.add(
                BlockEntry(number: state.nextEvent, cell: 0, time: event.time, identity: identity, length: event.length),
                event.kind, run.text[offset..<(offset + event.length)])
            state.nextEvent += 1
        }
        return content
    }
}
