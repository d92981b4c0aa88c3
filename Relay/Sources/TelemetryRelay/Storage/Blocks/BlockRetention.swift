import Foundation

/// Deletes events beyond the retention limits that hold for all, oldest arrivals first, a few at a time.
///
/// The state has the number of the first event. Events before it are deleted, though their block remains until all of its events are.
struct BlockRetention: Sendable {
    /// The maximum number of events that one transaction deletes, in addition to the number that it stores.
    static let step = 500

    private let retention: RelayEventRetention
    /// The longest age of all limits, at which an event is deleted whatever its scenario.
    private let age: TimeInterval

    init(_ retention: RelayEventRetention) {
        self.retention = retention
        age = ScenarioLimits(retention).ages.upperBound
    }

    /// The earliest arrival whose identifier is remembered after its event is deleted.
    func cutoff(_ now: TimeInterval) -> Int64 { ArrivalTime.milliseconds(now - retention.dedupeWindow) }

    /// Deletes at most `limit` events within the current transaction.
    /// - Returns: the number of deleted events by the limit that they exceeded.
    func trim(
        _ db: any StorageConnection, _ state: inout EventState, now: TimeInterval, atMost limit: Int
    ) throws -> [RelayEventRetention.Bound: Int] {
        var counts: [RelayEventRetention.Bound: Int] = [:]
        if try isOverLimit(db, state, now: now), state.firstEvent < state.nextEvent {
            let found = try BlockReader(db, EventSelection(.all), text: { try $0.text(db) }).events(
                in: state.firstEvent...(state.nextEvent - 1), .ascending,
                limit: max(limit, min(Self.slack(of: retention.capacity), Self.maximumStep)))
            let bounds = excess(found, state, now: now)
            let expired = found.events.prefix(bounds.count)
            if let last = expired.last {
                for bound in bounds { counts[bound, default: 0] += 1 }
                try Self.record(expired, found.blocks, db)
                try BlockDeletion.release(expired.map(\.entry), cutoff: cutoff(now), db, &state)
                try delete(before: last.entry.number + 1, db, &state)
                state.events -= Int64(expired.count)
            }
            // It would prevent every later deletion.
            for block in found.unreadable {
                try Self.record(block.stream.client, block.numbers.lowerBound, block.numbers.upperBound, block.count, db)
                let bound: RelayEventRetention.Bound = state.events > retention.capacity ? .capacity : .bytes
                counts[bounds.first ?? bound, default: 0] += try BlockDeletion.deleteUnreadable(block, db, &state)
            }
        }
        if state.remembered > 0 {
            state.remembered -= try EventIdentities.forget(
                before: cutoff(now), excess: state.remembered - Int64(retention.dedupeCapacity), atMost: limit, db)
        }
        return counts
    }

    /// How much more than the excess is deleted, so that a full storage is not trimmed by every batch.
    private static func slack(of limit: Int) -> Int { limit / 128 }
    private static let maximumStep = 10_000

    /// Whether the oldest event may exceed a limit.
    private func isOverLimit(_ db: any StorageConnection, _ state: EventState, now: TimeInterval) throws -> Bool {
        if state.events == 0 { return false }
        if state.events > retention.capacity || state.eventBytes > retention.bytes { return true }
        let oldest = try db.int("SELECT last_received FROM event_block ORDER BY first LIMIT 1")
        return oldest.map { $0 < expiry(now) } ?? false
    }

    private func expiry(_ now: TimeInterval) -> Int64 { ArrivalTime.milliseconds(now - age) }

    /// The limits that the oldest events exceed. Their bytes are free once their block is.
    private func excess(
        _ found: BlockReader.Found, _ state: EventState, now: TimeInterval
    ) -> [RelayEventRetention.Bound] {
        let expiry = expiry(now)
        var (events, bytes) = (state.events, state.eventBytes)
        // What is over a limit is reduced to somewhat less.
        let capacity = retention.capacity - (events > retention.capacity ? Self.slack(of: retention.capacity) : 0)
        let maximum = retention.bytes - (bytes > retention.bytes ? Self.slack(of: retention.bytes) : 0)
        var bounds: [RelayEventRetention.Bound] = []
        for event in found.events {
            let block = found.blocks[event.block]
            if block.received.upperBound < expiry {
                bounds.append(.age)
            } else if events > capacity {
                bounds.append(.capacity)
            } else if bytes > maximum, events > 1 {
                bounds.append(.bytes)
            } else {
                break
            }
            events -= 1
            if event.entry.number == block.numbers.upperBound { bytes -= block.size }
        }
        return bounds
    }

    /// Records for each client the number of events that are about to be deleted.
    static func record(_ events: ArraySlice<BlockReader.Event>, _ blocks: [EventBlock], _ db: any StorageConnection) throws {
        var runs: [Int64: (first: Int64, last: Int64, count: Int)] = [:]
        for event in events {
            let (client, number) = (blocks[event.block].stream.client, event.entry.number)
            let run = runs[client]
            runs[client] = (run?.first ?? number, number, (run?.count ?? 0) + 1)
        }
        for (client, run) in runs { try record(client, run.first, run.last, run.count, db) }
    }

    private static func record(_ client: Int64, _ first: Int64, _ last: Int64, _ count: Int, _ db: any StorageConnection) throws {
        try db.enqueue(
            "INSERT INTO event_expired (client, first, last, count) VALUES ($1, $2, $3, $4)",
            [.int(client), .int(first), .int(last), .init(count)])
    }

    /// Deletes the blocks without events from a number on.
    private func delete(before number: Int64, _ db: any StorageConnection, _ state: inout EventState) throws {
        state.firstEvent = number
        state.eventBytes -=
            try db.int("SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM event_block WHERE last < $1", [.int(number)]) ?? 0
        try db.enqueue("DELETE FROM event_block WHERE last < $1", [.int(number)])
    }
}
