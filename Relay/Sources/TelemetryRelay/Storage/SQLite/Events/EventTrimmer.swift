import Foundation
import GRDB

/// Deletes what is beyond the bounds, the oldest arrivals first, a few at a time.
struct EventTrimmer: Sendable {
    /// So many events are deleted in one transaction, beyond those that it stores itself.
    static let step = 500
    /// So many runs of deletions are remembered, for telling a reader how many events it missed.
    private static let runs: Int64 = 10_000

    let retention: RelayEventRetention

    /// What an event takes, in bytes, about: its body, and what belongs to it in tables and indexes.
    static func size(ofBody bytes: Int) -> Int64 { Int64(bytes) + 200 }

    /// Deletes at most so many events within the transaction under way.
    /// - Returns: how many went beyond which bound.
    func trim(
        _ db: Database, _ state: inout RelayState, now: TimeInterval, atMost limit: Int
    ) throws -> [RelayEventRetention.Bound: Int] {
        let excess = try excess(db, state, now: now, atMost: limit)
        if let last = excess.last {
            let deletion = EventDeletion(selection: .upTo(last), rememberedFrom: cutoff(now))
            try deletion.recordAsExpired(db)
            try deletion.run(db, &state)
            try db.cachedStatement(
                sql: "DELETE FROM event_expired WHERE id <= (SELECT MAX(id) FROM event_expired) - \(Self.runs)"
            ).execute()
        }
        try forget(db, &state, now: now, atMost: limit)
        return excess.counts
    }

    /// When an event arrived that need no longer be remembered after it is deleted.
    func cutoff(_ now: TimeInterval) -> Int64 { ArrivalTime.milliseconds(now - retention.dedupeWindow) }

    /// The oldest events, as far as they are beyond a bound.
    private func excess(
        _ db: Database, _ state: RelayState, now: TimeInterval, atMost limit: Int
    ) throws -> (last: Int64?, counts: [RelayEventRetention.Bound: Int]) {
        let oldest = ArrivalTime.milliseconds(now - retention.age)
        var (events, bytes) = (state.events, state.eventBytes)
        var last: Int64?
        var counts: [RelayEventRetention.Bound: Int] = [:]
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT number, received, LENGTH(body) FROM event ORDER BY number LIMIT ?"),
            arguments: [limit])
        while let row = try rows.next() {
            let bound: RelayEventRetention.Bound
            if try row.decode(Int64.self, atIndex: 1) < oldest {
                bound = .age
            } else if events > retention.capacity {
                bound = .capacity
            } else if bytes > retention.bytes, events > 1 {
                bound = .bytes
            } else {
                break
            }
            counts[bound, default: 0] += 1
            last = try row.decode(Int64.self, atIndex: 0)
            events -= 1
            bytes -= Self.size(ofBody: try row.decode(Int.self, atIndex: 2))
        }
        return (last, counts)
    }

    /// Forgets deleted events that are too old, or too many.
    private func forget(_ db: Database, _ state: inout RelayState, now: TimeInterval, atMost limit: Int) throws {
        guard state.remembered > 0 else { return }
        let cutoff = cutoff(now)
        var remembered = state.remembered
        var last: Int64?
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT number, received FROM event_deleted ORDER BY number LIMIT ?"), arguments: [limit])
        while let row = try rows.next() {
            guard try row.decode(Int64.self, atIndex: 1) < cutoff || remembered > retention.dedupeCapacity else { break }
            last = try row.decode(Int64.self, atIndex: 0)
            remembered -= 1
        }
        guard let last else { return }
        try EventDeletion.forget(db, "SELECT client, event_key FROM event_deleted WHERE number <= ?", [last])
        try db.cachedStatement(sql: "DELETE FROM event_deleted WHERE number <= ?").execute(arguments: [last])
        state.remembered = remembered
    }
}
