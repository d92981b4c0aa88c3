import Foundation
import GRDB
import Synchronization

/// Writes batches and applies the retention limits in one transaction. Stores an event's identity before the event.
final class SQLiteEventWriter: Sendable {
    /// The result of one transaction.
    struct Outcome {
        var results: [RelayAppendResult] = []
        /// The numbers of the stored events.
        var numbers: Range<Int64> = 0..<0
        var expired: [RelayEventRetention.Bound: Int] = [:]
    }

    private let trimmer: EventTrimmer
    private let arrival: ArrivalTime
    private let streams = Mutex(EventStreams())

    init(trimmer: EventTrimmer, arrival: ArrivalTime) {
        self.trimmer = trimmer
        self.arrival = arrival
    }

    /// Writes all batches or, if it throws, none.
    func write(_ batches: [EventBatch], _ db: Database) throws -> Outcome {
        try streams.withLock { streams in
            do {
                return try RelayDatabase.transaction(db) { try write(batches, db, &streams) }
            } catch {
                streams.removeAll()
                throw error
            }
        }
    }

    private func write(_ batches: [EventBatch], _ db: Database, _ streams: inout EventStreams) throws -> Outcome {
        var state = try RelayState.fetch(db)
        streams.validate(generation: state.streamGeneration)
        let first = state.nextEvent
        let now = arrival.now(after: state)
        let received = ArrivalTime.milliseconds(now)
        let see = try db.cachedStatement(
            sql: "INSERT INTO event_seen (client, event_key) VALUES (?, ?) ON CONFLICT DO NOTHING")
        let insert = try db.cachedStatement(sql: "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        var outcome = Outcome()
        var spans = EventSpan.Additions()
        for batch in batches {
            let start = state.nextEvent
            for row in batch.rows {
                let stream = try streams.stream(client: row.client, session: row.session, db)
                try see.execute(arguments: [stream.client, row.event])
                guard db.changesCount == 1 else { continue }
                try insert.execute(arguments: [
                    state.nextEvent, stream.number, row.event, received, row.time.seconds, row.time.nanoseconds, row.level,
                    row.name, row.scenario, row.body,
                ])
                spans.add(state.nextEvent, seconds: row.time.seconds)
                state.nextEvent += 1
                state.eventBytes += EventTrimmer.size(ofBody: row.body.count)
            }
            let stored = Int(state.nextEvent - start)
            outcome.results.append(RelayAppendResult(stored: stored, duplicates: batch.rows.count - stored))
        }
        outcome.numbers = first..<state.nextEvent
        // A batch of duplicates writes nothing.
        guard !outcome.numbers.isEmpty else { return outcome }
        try spans.save(db)
        state.events += Int64(outcome.numbers.count)
        state.arrival = now
        outcome.expired = try trimmer.trim(db, &state, now: now, atMost: outcome.numbers.count + EventTrimmer.step)
        try state.saveEvents(db, wall: arrival.wall)
        return outcome
    }
}
