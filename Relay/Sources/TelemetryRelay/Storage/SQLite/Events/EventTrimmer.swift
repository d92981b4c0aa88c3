import Foundation
import GRDB

/// Deletes events beyond the retention limits, oldest arrivals first, a few at a time.
struct EventTrimmer: Sendable {
    /// The maximum number of events that one transaction deletes, in addition to the number that it stores.
    static let step = 500

    let retention: RelayEventRetention

    /// The approximate size of an event in bytes: its body and its table and index data.
    static func size(ofBody bytes: Int) -> Int64 { Int64(bytes) + 200 }

    /// Deletes at most `limit` events within the current transaction.
    /// - Returns: the number of deleted events by the limit that they exceeded.
    func trim(
        _ db: Database, _ state: inout RelayState, now: TimeInterval, atMost limit: Int
    ) throws -> [RelayEventRetention.Bound: Int] {
        let excess = try excess(db, state, now: now, atMost: limit)
        if let last = excess.last {
            let deletion = EventDeletion(selection: .upTo(last), rememberedFrom: cutoff(now))
            try deletion.recordAsExpired(db)
            try deletion.run(db, &state)
        }
        try trimRemembered(db, &state, now: now, atMost: limit)
        return excess.counts
    }

    /// The earliest arrival whose identifier is kept after its event is deleted.
    func cutoff(_ now: TimeInterval) -> Int64 { ArrivalTime.milliseconds(now - retention.dedupeWindow) }

    /// The oldest events beyond a limit.
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

    /// Removes identifiers of deleted events that are too old or too many.
    private func trimRemembered(_ db: Database, _ state: inout RelayState, now: TimeInterval, atMost limit: Int) throws {
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
        try EventDeletion.removeIdentities(db, "SELECT client, event_key FROM event_deleted WHERE number <= ?", [last])
        try db.cachedStatement(sql: "DELETE FROM event_deleted WHERE number <= ?").execute(arguments: [last])
        state.remembered = remembered
    }
}
