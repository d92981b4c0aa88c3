import Foundation

/// Writes entries within the transaction of what they record.
struct AuditLog: Sendable {
    private static let table = "audit_state"

    /// The number of entries.
    static let count = "SELECT next - COALESCE((SELECT MIN(number) FROM audit), next) FROM \(table) WHERE id = 1"

    let arrival: ArrivalTime
    let now: @Sendable () -> Date

    /// Writes entries. Takes the lock on the row of counters, which other transactions wait for until the end of this one.
    func write(_ entries: [RelayAuditEntry], _ db: any StorageConnection) throws {
        guard !entries.isEmpty else { return }
        let next = try db.int(
            "UPDATE \(Self.table) SET next = next + $1 WHERE id = 1 RETURNING next", [.init(entries.count)])
        let clocks = arrival.next(after: try Self.clocks(db))
        try db.enqueue(
            "UPDATE \(Self.table) SET arrival = $1, wall = $2 WHERE id = 1", [.double(clocks.arrival), .double(clocks.wall)])
        let first = (next ?? 0) - Int64(entries.count)
        for (number, entry) in zip(first..., entries) {
            try Self.insert(entry, number, at: now(), received: clocks.arrival, db)
        }
    }

    private static func insert(
        _ entry: RelayAuditEntry, _ number: Int64, at time: Date, received: TimeInterval, _ db: any StorageConnection
    ) throws {
        func bytes(_ text: String?) -> StorageValue { .init(text.map { Data($0.utf8) }) }
        func key(_ text: String?) -> StorageValue { .init(text.map(NameKey.data)) }
        let actor = entry.actor
        try db.enqueue(
            "INSERT INTO audit VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            [
                .int(number), .int(milliseconds(of: time)), .int(ArrivalTime.milliseconds(received)),
                .text(entry.action.rawValue),
                key(actor.token), bytes(actor.token), actor.role.map { .text($0.rawValue) } ?? .null, bytes(actor.address),
                key(entry.client), bytes(entry.client), bytes(entry.detail), .init(entry.status),
            ])
    }

    /// A time as stored, to the millisecond, which is that of its text.
    static func milliseconds(of time: Date) -> Int64 { Int64(exactly: (time.timeIntervalSince1970 * 1000).rounded()) ?? .max }

    /// Deletes the oldest entries of more than an age.
    /// - Returns: whether there may be more of them.
    func expire(age: TimeInterval, _ db: any StorageConnection) throws -> Bool {
        let cutoff = ArrivalTime.milliseconds(arrival.next(after: try Self.clocks(db)).arrival - age)
        // They are in the order of their arrival.
        let last = try db.rows(
            "SELECT number, received FROM audit ORDER BY number LIMIT 1 OFFSET $1", [.init(Self.step)])
        if let last = last.first, try last.int(1) < cutoff {
            return try db.execute("DELETE FROM audit WHERE number < $1", [.int(try last.int(0))]) > 0
        }
        let kept = try db.int("SELECT number FROM audit WHERE received >= $1 ORDER BY number LIMIT 1", [.int(cutoff)])
        try db.execute("DELETE FROM audit WHERE number < $1", [.int(kept ?? .max)])
        return false
    }

    /// The clocks at the last write.
    static func clocks(_ db: any StorageConnection) throws -> ArrivalClock.Saved {
        guard let row = try db.rows("SELECT arrival, wall FROM \(table) WHERE id = 1").first else {
            throw RelayStorageError.corrupt("\(table) is empty")
        }
        return try ArrivalClock.Saved(row, 0)
    }

    /// The maximum number of entries that one transaction deletes.
    private static let step = 10_000
}
